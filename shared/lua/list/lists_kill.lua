-- Kills a system list in one partition, or brings it back.  Daemons do not
-- query a killed list, accounts do not see it, and a load does not bring it
-- back.  A second call has no effect, except that a new reason replaces the old
-- one.
--- key: lists
--- arg: list  SID
--- arg: reason  "": it is killed no more
--- reply: OK
--- reply: LIST  no such list
--- reply: CATALOGUE  it was not killed by hand but by a file
--- reply: FULL would# most#  how many lists there would be, how many there
--          may be
--- include: list_of
--- include: defaults
--- include: override
--- include: room
local sid, reason = ARG.list, ARG.reason
list_whole(l)
local field = sid .. ':killed'
local was = list_packed(field)
if l[LIST.status] == 'killed' and not was then
    return {'CATALOGUE'}
end
if reason == '' and was then
    local n = call('ZCARD', KEY.lists) + 1
    if n > lists_most then
        return {'FULL', n, lists_most}
    end
end
if reason ~= '' then
    was = was or {reason, l[LIST.status], call('HGET', override, sid) or '',
        call('ZSCORE', KEY.lists, sid) or ''}
    was[1] = reason
    call('HSET', override, field, cmsgpack.pack(was), sid, 'killed')
    l[LIST.status] = 'killed'
    list_leave(sid, l[LIST.zone])
elseif was then
    call('HDEL', override, field, sid)
    if was[3] ~= '' then
        call('HSET', override, sid, was[3])
    end
    l[LIST.status] = was[3] ~= '' and was[3] or was[2]
    list_enter(sid, tonumber(was[4]))
end
l[LIST.reason] = reason
save(k, l)
rebuild_defaults()
return {'OK'}
