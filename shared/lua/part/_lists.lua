-- The lists that a profile has for a host type and a family: a packed array of
-- {SID, type, custom, zone, website}, and how many.  An empty type is that of a
-- one-off check, and takes lists of every type.  A daemon that knows the system
-- lists, by their sum, gets "" in place of all of them, and so does a request
-- that needs none (sum is true).
--- use: profile list
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
            end
        end
        if l and bit.band(l[4], family) ~= 0
            and (htype == '' or l[2] == htype)
        then
            out[#out + 1] = {sid, l[2], custom, l[3], l[5]}
        end
    end
    return cmsgpack.pack(out), #out
end
-- The sum of the system lists, and how many of them take a host type and a
-- family.
local function lists_system(htype, family)
    local found = call('HMGET', key('defaults:for'), 'sum',
        'n|' .. htype .. '|' .. family)
    return found[1], tonumber(found[2])
end
local function lists_for(rp, htype, family, sum)
    local profile = load(key('r', ac, rp))
    if profile and profile[PROFILE.uses_defaults] ~= 1 then
        return lists_chosen(profile[PROFILE.entries], htype, family)
    end
    local current, n
    if profile then
        current, n = lists_system(htype, family)
    end
    if not n then
        return '\144', 0
    end
    return (sum == true or current == sum) and ''
        or call('HGET', key('defaults:for'), htype .. '|' .. family), n
end
