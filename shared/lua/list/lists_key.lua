-- Gives a list that wants one its key, or takes it away.  There is one copy of
-- the keys, in partition 0, where daemons look after the lists.
-- KEYS[1] lists
-- ARGV    1 list SID  2 key; "": none
-- Result  OK | LIST (no such list) | KEYLESS (it wants no key)
--- include: base
--- use: list
local l = load(key('r', 'SYS', ARGV[1]))
if not l then
    return {'LIST'}
end
local zone = l[LIST.zone]
if not string.find(zone, '{key}', 1, true) then
    return {'KEYLESS'}
end
if ARGV[2] ~= '' then
    call('HSET', key('lists:keys'), zone, ARGV[2])
else
    call('HDEL', key('lists:keys'), zone)
end
call('INCR', key('lists:ver'))
return {'OK'}
