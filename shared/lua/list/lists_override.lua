-- Changes fields of a system list in one partition, until told otherwise: a
-- load does not change them back.
-- KEYS[1] lists
-- ARGV    1 list SID  2 "1": what was said before is void
--         then pairs: field, packed value
-- Result  OK | LIST (no such list, or killed)
--- include: base
--- include: override
local sid = ARGV[1]
local k = key('r', 'SYS', sid)
local l = load(k)
if not l or not call('ZSCORE', KEYS[1], sid) then
    return {'LIST'}
end
list_whole(l)
if ARGV[2] == '1' then
    list_restore(sid, l)
end
for i = 3, #ARGV, 2 do
    local name, value = ARGV[i], cmsgpack.unpack(ARGV[i + 1])
    local at = overridden[name]
    local o = list_packed(sid .. ':' .. name) or {value, l[at]}
    call('HSET', override, sid .. ':' .. name, cmsgpack.pack({value, o[2]}))
    l[at] = value
end
save(k, l)
-- Nothing that is derived from the lists has one of these fields.
call('INCR', key('lists:ver'))
return {'OK'}
