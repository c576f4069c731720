-- Makes what is derived from the system lists, and counts a change.
-- `defaults` holds all active ones.  The hash `defaults:for` has for each host
-- type ("" is a one-off) and family "<type>|<family>", the packed lists that
-- are asked, and "n|<type>|<family>", how many; `sum` is the digest of all
-- records: who has read the same ones need not be told the lists.
-- `lists:active` has the active ones in order, `lists:zones` the zones of all
-- with their types.
--- use: list
local function rebuild_defaults()
    local out, by, records = {}, {}, {}
    for _, t in ipairs({'', 'rbl', 'uribl'}) do
        for _, family in ipairs({1, 2, 4}) do
            by[t .. '|' .. family] = {}
        end
    end
    local function add(t, families, entry)
        for _, family in ipairs({1, 2, 4}) do
            local list = by[t .. '|' .. family]
            if list and bit.band(families, family) ~= 0 then
                list[#list + 1] = entry
            end
        end
    end
    local sids = call('ZRANGE', key('lists'), 0, -1)
    local keys, zones, active, rest = {}, {}, {}, {}
    for i, sid in ipairs(sids) do
        keys[i] = key('r', 'SYS', sid)
    end
    local raws = keys[1] and call('MGET', unpack(keys)) or {}
    -- Of the records what comes after the status is not needed.
    for i, sid in ipairs(sids) do
        local raw, status = raws[i], nil
        records[i] = raw or ''
        if raw then
            local _, _, _, type, zone, _, website, families, _, is =
                cmsgpack.unpack_limit(raw, LIST.status, 3)
            status = is
            zones[#zones + 1] = zone
            zones[#zones + 1] = type
            if status == 'active' then
                active[#active + 1] = i
                active[#active + 1] = sid
                out[#out + 1] = {sid, type, zone, families, website}
                local entry = {sid, type, 0, zone, website}
                add('', families, entry)
                add(type, families, entry)
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
    call('SET', key('defaults'), cmsgpack.pack(out))
    for field, list in pairs(by) do
        call('HSET', key('defaults:for'), field, cmsgpack.pack(list),
            'n|' .. field, #list)
    end
    call('HSET', key('defaults:for'), 'sum',
        redis.sha1hex(table.concat(records)))
    return call('INCR', key('lists:ver'))
end
