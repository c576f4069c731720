-- The lists that a profile has for a host type and a family, each {SID, type,
-- custom, zone, website}, and the key if the zone of an own list has one.  An
-- empty type is that of a one-off check, and takes lists of every type.  From 8
-- on a family is that of an address that is not public (RBL_FAMILY_LOCAL),
-- which only own lists take.
local function lists_chosen(entries, htype, family)
    local raw = call('GET', key('defaults'))
    local by_sid, own, keys, out = {}, {}, {}, {}
    for _, l in ipairs(raw and cmsgpack.unpack(raw) or {}) do
        by_sid[l[1]] = l
    end
    for _, sid in ipairs(entries) do
        if not by_sid[sid] then
            keys[#keys + 1] = key('r', ac, sid)
            own[sid] = #keys
        end
    end
    local records = keys[1] and call('MGET', unpack(keys)) or {}
    for _, sid in ipairs(entries) do
        local l, custom = by_sid[sid], 0
        local c = not l and records[own[sid]]
        if c then
            local _, _, _, type, zone, _, website, families, _, status =
                cmsgpack.unpack_limit(c, LIST.status, 3)
            if status == 'active' then
                l, custom = {sid, type, zone, families, website}, 1
                if string.find(zone, '****', 1, true) then
                    l[6] = cmsgpack.unpack(c)[LIST.key]
                end
            end
        end
        if l and bit.band(l[4], family) ~= 0
            and (custom == 1 or family < 8) and (htype == '' or l[2] == htype)
        then
            out[#out + 1] = {sid, l[2], custom, l[3], l[5], l[6]}
        end
    end
    return out
end
-- The sum of the system lists, and how many of them take a host type and a
-- family.
local function lists_system(htype, family)
    local found = call('HMGET', key('defaults:for'), 'sum',
        'n|' .. htype .. '|' .. family)
    return found[1], tonumber(found[2])
end
-- The same without those that a profile leaves out.
local function lists_but(except, htype, family)
    local raw = call('HGET', key('defaults:for'), htype .. '|' .. family)
    local left_out, out = {}, {}
    for _, sid in ipairs(except) do
        left_out[sid] = true
    end
    for _, l in ipairs(raw and cmsgpack.unpack(raw) or {}) do
        out[#out + 1] = not left_out[l[1]] and l or nil
    end
    return out
end
-- The lists of a profile as a packed array, and how many.  A daemon that knows
-- the system lists, by their sum, gets "" in place of all of them, and so does
-- a request that needs none (sum is true).  as_table: as they are, for a script
-- that reads them itself.
local function lists_for(rp, htype, family, sum, as_table)
    local profile = load(key('r', ac, rp))
    local follows = profile and profile[PROFILE.uses_defaults] == 1
    if profile and (not follows or profile[PROFILE.except]) then
        local out = follows and lists_but(profile[PROFILE.except], htype,
            family) or lists_chosen(profile[PROFILE.entries], htype, family)
        return as_table and out or cmsgpack.pack(out), #out
    end
    local current, n
    if profile then
        current, n = lists_system(htype, family)
    end
    if not n then
        return as_table and {} or '\144', 0
    elseif sum == true or current == sum then
        return '', n
    end
    local all = call('HGET', key('defaults:for'), htype .. '|' .. family)
    return as_table and cmsgpack.unpack(all) or all, n
end
