-- What the daemon is told of a host whose check begins: its standing listings,
-- packed {SID, zone, cleared}, or ""; and the SIDs of its lists that have
-- trouble, one after the other, or "": before a colon those that have a new
-- listing, which is not confirmed.
local function begun_standing(details)
    if not details[1] then
        return ''
    end
    local entries = {}
    for i, l in ipairs(details) do
        entries[i] = {l[1], l[2], l[9] or 0}
    end
    return cmsgpack.pack(entries)
end
local function begun_troubled(troubled)
    if not troubled or not troubled[1] then
        return ''
    end
    local pending, others = {}, {}
    for _, t in ipairs(troubled) do
        local sids = t[5] == 1 and pending or others
        sids[#sids + 1] = t[1]
    end
    return table.concat(pending) .. ':' .. table.concat(others)
end
