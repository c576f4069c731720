-- Makes the derived key `defaults` from the system lists and counts a change.
--- use: list
local function rebuild_defaults()
    local out = {}
    for _, sid in ipairs(redis.call('ZRANGE', key('lists'), 0, -1)) do
        local l = load(key('r', 'SYS', sid))
        if l and l[LIST.status] == 'active' then
            out[#out + 1] = {sid, l[LIST.type], l[LIST.zone],
                l[LIST.families], l[LIST.website]}
        end
    end
    redis.call('SET', key('defaults'), cmsgpack.pack(out))
    return redis.call('INCR', key('lists:ver'))
end
