-- Enables or disables a system list in one partition; a load does not change
-- that.
--- key: lists
--- arg: list  SID
--- arg: status  active, disabled
--- reply: OK
--- reply: LIST  no such list, or killed
--- include: list_of
--- include: defaults
--- include: override
if not call('ZSCORE', KEY.lists, ARG.list) then
    return {'LIST'}
end
l[LIST.status] = ARG.status
call('HSET', override, ARG.list, ARG.status)
save(k, l)
rebuild_defaults()
return {'OK'}
