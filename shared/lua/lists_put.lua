-- Loads system lists into one partition: adds and updates those given, leaves
-- the others.  What the operator has said by hand (lists:override) outlives a
-- load; a list that the file kills loses it.
-- KEYS[1] lists
-- ARGV    packed list records, in the order they shall have
-- Result  OK, number of active lists' version
--- include: base
--- include: defaults
--- include: override
for _, raw in ipairs(ARGV) do
    local l = list_whole(cmsgpack.unpack(raw))
    local sid = l[LIST.id]
    if l[LIST.status] == 'killed' then
        list_leave(sid, l[LIST.zone])
        call('HDEL', override, sid, sid .. ':killed')
        for name in pairs(overridden) do
            call('HDEL', override, sid .. ':' .. name)
        end
    else
        list_overrule(sid, l)
        if l[LIST.status] ~= 'killed' then
            list_enter(sid)
        end
    end
    save(key('r', 'SYS', sid), l)
end
return {'OK', rebuild_defaults()}
