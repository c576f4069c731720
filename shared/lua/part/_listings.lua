-- Counts hosts by list, and by the weight of their heaviest listing, in "refs".
-- A listing that is counted says with which weight, so that one that is not, of
-- an older record, is never taken away; the next check counts it.
--- include: refs
local weight_unknown = 2        -- normal
-- sign: 1, or -1 when the host is deleted or paused, or before its listings
-- change.  refs_write() writes the counters.
local function listings_count(listings, sign)
    local heaviest = 0
    for _, l in ipairs(listings) do
        local weight = l[LISTING.counted] or 0
        if weight > 0 then
            refs_later(l[LISTING.list] .. ':h', sign)
            heaviest = math.max(heaviest, weight)
        end
    end
    if heaviest > 0 then
        refs_later('w' .. heaviest, sign)
    end
end
