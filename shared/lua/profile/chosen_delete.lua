-- Deletes a monitoring profile or a contact group that no host and no contact
-- has.  If it was the default, a random other one becomes the default.
--- key: acct  acct:<AC>
--- arg: id  SID
--- arg: index  profiles, groups
--- audit: id
--- reply: OK
--- reply: PROFILE
--- reply: GROUP
--- reply: USED times#  how many have it
--- reply: LAST
--- reply: ACCOUNT
--- include: chosen
--- include: work
--- include: named
local sid, index, is_group = ARG.id, key(ARG.index, ac), ARG.index == 'groups'
if not owns(ARG.index, sid) then
    return {is_group and 'GROUP' or 'PROFILE'}
end
local times = work_names(sid)
for _, n in ipairs(call('HMGET', key('refs', ac), sid, sid .. ':h',
    sid .. ':c'))
do
    times = times + tonumber(n or 0)
end
if times > 0 then
    return {'USED', times}
end
if call('ZCARD', index) == 1 then
    return {'LAST'}
end
local k = key('r', ac, sid)
named = named_in(k, is_group and GROUP.name or PROFILE.name)
call('ZREM', index, sid)
call('DEL', k)
if is_group then
    --- include: mutes
    mutes_gone(sid)
end
local default = is_group and CHOSEN.group or CHOSEN.profile
if chosen[default] == sid then
    choose(default, call('ZRANDMEMBER', index))
end
return {'OK'}
