-- Overrides fields of a system list in one partition, until they are reset: a
-- load does not change them.
--- key: lists
--- arg: list  SID
--- arg: reset  "1": earlier values are void
--- arg: field value...  packed value
--- reply: OK
--- reply: LIST  no such list, or killed
--- include: list_of
--- include: override
local sid = ARG.list
if not call('ZSCORE', KEY.lists, sid) then
    return {'LIST'}
end
list_whole(l)
if ARG.reset == '1' then
    list_restore(sid, l)
end
for i = 1, (#ARGV - ARG.before) / ARG.each do
    local name = ARGV[ARG.field + ARG.each * i]
    local value = cmsgpack.unpack(ARGV[ARG.value + ARG.each * i])
    local at = overridden[name]
    local o = list_packed(sid .. ':' .. name) or {value, l[at]}
    call('HSET', override, sid .. ':' .. name, cmsgpack.pack({value, o[2]}))
    l[at] = value
end
save(k, l)
-- Nothing that is derived from the lists has one of these fields.
call('INCR', key('lists:ver'))
return {'OK'}
