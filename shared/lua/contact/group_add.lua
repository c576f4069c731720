-- Adds a contact group.
--- key: acct  acct:<AC>
--- arg: group  SID
--- arg: name
--- arg: is_default  "1": it becomes the default
--- audit: group
--- reply: OK record  packed
--- reply: LIMIT max#  groups
--- reply: ACCOUNT
--- include: chosen
local max_groups = 1000
local groups = key('groups', ac)
if call('ZCARD', groups) >= max_groups then
    return {'LIMIT', max_groups}
end
named = ARG.name
local raw = cmsgpack.pack({1, ARG.group, ARG.name, now_ms()})
call('SET', key('r', ac, ARG.group), raw)
call('ZADD', groups, call('INCR', key('seq', ac)), ARG.group)
if ARG.is_default == '1' then
    choose(CHOSEN.group, ARG.group)
end
return {'OK', raw}
