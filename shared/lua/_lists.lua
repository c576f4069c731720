-- The lists that a profile asks for a value of one family: an array of
-- {SID, type, custom, zone, website}.  An empty host type is a one-off and
-- asks lists of every type.
--- use: profile list
local function lists_for(rp, htype, family)
    local profile = load(key('r', ac, rp))
    if not profile then
        return {}
    end
    local raw = redis.call('GET', key('defaults'))
    local system = raw and cmsgpack.unpack(raw) or {}
    local out = {}
    local function add(sid, ltype, custom, zone, families, website)
        if bit.band(families, family) ~= 0
            and (htype == '' or ltype == htype)
        then
            out[#out + 1] = {sid, ltype, custom, zone, website}
        end
    end
    if profile[PROFILE.uses_defaults] == 1 then
        for _, l in ipairs(system) do
            add(l[1], l[2], 0, l[3], l[4], l[5])
        end
        return out
    end
    local by_sid = {}
    for _, l in ipairs(system) do
        by_sid[l[1]] = l
    end
    for _, sid in ipairs(profile[PROFILE.entries]) do
        local l = by_sid[sid]
        if l then
            add(sid, l[2], 0, l[3], l[4], l[5])
        else
            l = load(key('r', ac, sid))
            if l and l[LIST.status] == 'active' then
                add(sid, l[LIST.type], 1, l[LIST.zone], l[LIST.families],
                    l[LIST.website])
            end
        end
    end
    return out
end
