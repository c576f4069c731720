-- Lists that have ended a listing of a host without having said so, as they are
-- no longer used for the host: by its history (check_finish.lua).
-- Returns such listings {list, zone, since, weight}, and how many octets were
-- read: of those that ended after a time (ms), in the last `most` checks that
-- changed the listings, the lists whose last change this is.  least: weight;
-- those below it are not there for the contact (_tells.lua).
local function disused_of(id, after, most, least)
    local seen, out, octets = {}, {}, 0
    for _, entry in ipairs(call('XREVRANGE', key('hist', ac, id), '+',
        string.format('(%d', after), 'COUNT', most))
    do
        local raw = entry[2][4]
        octets = octets + #raw
        for _, change in ipairs(cmsgpack.unpack(raw)) do
            local list, zone, how, _, since, weight = unpack(change)
            local is_new = not seen[list .. zone]
            seen[list .. zone] = true
            weight = weight or 0
            if is_new and how == 'ended' and (weight == 0 or weight >= least)
            then
                out[#out + 1] = {list, zone, since or 0, weight}
            end
        end
    end
    return out, octets
end
