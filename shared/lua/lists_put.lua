-- Loads system lists into one partition: adds and updates those given, leaves
-- the others.  What the operator enabled or disabled by hand (lists:override)
-- outlives a load; a killed list loses it.
-- KEYS[1] lists
-- ARGV    packed list records, in the order they shall have
-- Result  OK, number of active lists' version
--- include: base
--- include: defaults
for _, raw in ipairs(ARGV) do
    local l = cmsgpack.unpack(raw)
    local sid = l[LIST.id]
    if l[LIST.status] == 'killed' then
        call('ZREM', KEYS[1], sid)
        call('ZREM', key('lists:active'), sid)
        call('HDEL', key('lists:override'), sid)
        call('HDEL', key('lists:zones'), l[LIST.zone])
    else
        l[LIST.status] = call('HGET', key('lists:override'), sid)
            or l[LIST.status]
        if not call('ZSCORE', KEYS[1], sid) then
            local last = call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
            call('ZADD', KEYS[1], (tonumber(last[2]) or 0) + 1, sid)
        end
    end
    save(key('r', 'SYS', sid), l)
end
return {'OK', rebuild_defaults()}
