-- Makes the keys that are derived from the system lists, and counts a change.
--
-- `defaults`: all active lists.
-- `defaults:for`: for each type of host ("": a one-off) and family the packed
-- lists to query, "<type>|<family>", and their number, "n|<type>|<family>".
-- Its field `sum` is the digest of `defaults`, by which a daemon knows whether
-- it has read these lists.
-- `lists:active`: the active lists in order.
-- `lists:zones`: the zones of all lists with their types.

-- The fields of a record up to the status fit into so many octets
-- (lists_file.c).
local list_head = 1792
-- The position of the value behind a text.  It skips the name of a list, which
-- may be long and is not needed.
local function after_text(raw, at)
    local first, n, low = raw:byte(at + 1, at + 3)
    if first == 218 then
        return at + 3 + n * 256 + low
    end
    return first == 217 and at + 2 + n or at + 1 + first - 160
end
local function rebuild_defaults()
    local types, out, by = {'rbl', '', 'uribl'}, {}, {}
    for _, t in ipairs(types) do
        by[t] = {{}, {}, [4] = {}}
    end
    local zones, active, rest = {}, {}, {}
    for i, sid in ipairs(call('ZRANGE', key('lists'), 0, -1)) do
        local raw = call('GETRANGE', key('r', 'SYS', sid), 0, list_head - 1)
        local status
        if raw ~= '' then
            local at, _, _, type, zone = cmsgpack.unpack_limit(raw, LIST.zone,
                3)
            local _, website, families, _, is = cmsgpack.unpack_limit(raw,
                LIST.status - LIST.name, after_text(raw, at))
            status = is
            zones[#zones + 1] = zone
            zones[#zones + 1] = type
            if status == 'active' then
                active[#active + 1] = i
                active[#active + 1] = sid
                out[#out + 1] = {sid, type, zone, families, website}
                local entry = {sid, type, 0, zone, website}
                for family, list in pairs(by[type] or {}) do
                    if bit.band(families, family) ~= 0 then
                        local all = by[''][family]
                        list[#list + 1], all[#all + 1] = entry, entry
                    end
                end
            end
        end
        if status ~= 'active' then
            rest[#rest + 1] = sid
        end
    end
    if zones[1] then
        call('HSET', key('lists:zones'), unpack(zones))
    end
    if rest[1] then
        call('ZREM', key('lists:active'), unpack(rest))
    end
    if active[1] then
        call('ZADD', key('lists:active'), unpack(active))
    end
    local defaults, packed = cmsgpack.pack(out), {}
    call('SET', key('defaults'), defaults)
    for _, t in ipairs(types) do
        for family, list in pairs(by[t]) do
            -- A one-off asks lists of all types; often there is one type alone.
            local same = t == '' and #list == #by.rbl[family]
            local field = t .. '|' .. family
            packed[family] = same and packed[family] or cmsgpack.pack(list)
            call('HSET', key('defaults:for'), field, packed[family],
                'n|' .. field, #list)
        end
    end
    call('HSET', key('defaults:for'), 'sum', redis.sha1hex(defaults))
    call('INCR', key('lists:ver'))
end
