-- Deletes a contact group that no host and no contact has.  Was it the default,
-- another one, by chance, takes its place.
--- key: acct  acct:<AC>
--- arg: group  SID
--- audit: group
--- reply: OK
--- reply: GROUP
--- reply: USED
--- reply: LAST
--- reply: ACCOUNT
--- include: chosen
--- include: work
--- include: named
--- use: chosen group
local sid, refs, groups = ARG.group, key('refs', ac), key('groups', ac)
if not owns('groups', sid) then
    return {'GROUP'}
end
if call('HEXISTS', refs, sid .. ':h') + call('HEXISTS', refs, sid .. ':c')
    + work_names(sid) > 0
then
    return {'USED'}
end
if call('ZCARD', groups) == 1 then
    return {'LAST'}
end
local k = key('r', ac, sid)
named = named_in(k, GROUP.name)
call('ZREM', groups, sid)
call('DEL', k)
if chosen[CHOSEN.group] == sid then
    chosen[CHOSEN.group] = call('ZRANDMEMBER', groups)
    chosen_save()
end
return {'OK'}
