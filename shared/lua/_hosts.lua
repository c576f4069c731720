-- A host together with the children of a range, as {key, record} pairs; nil if
-- the account has no such host.
--- use: host
local function hosts_with_kids(sid)
    if not owns('hosts', sid) then
        return nil
    end
    local out = {}
    local function add(s)
        local k = key('r', ac, s)
        local h = load(k)
        if h then
            out[#out + 1] = {k, h}
        end
    end
    add(sid)
    if out[1] and out[1][2][HOST.type] == 'ip_range' then
        for _, kid in ipairs(call('ZRANGE', key('kids', ac, sid), 0, -1))
        do
            add(kid)
        end
    end
    return out
end
