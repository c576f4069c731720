-- Counts hosts by list, by the weight of their heaviest listing, and by group,
-- in "refs".
-- A listing that is counted says with which weight, so that one that is not, of
-- an older record, is never taken away; the next check counts it.
--- include: refs
local weight_unknown = 2        -- normal
-- sign: 1, or -1 when the host is deleted or paused, or before its listings
-- change.  refs_write() writes the counters.  Returns whether the host counts
-- as listed: then it does so in its groups, too.
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
    return heaviest > 0
end
local function listed_in_groups(groups, sign)
    for _, g in ipairs(groups) do
        refs_later(g .. ':l', sign)
    end
end
local function listings_counted(listings)
    for _, l in ipairs(listings) do
        if (l[LISTING.counted] or 0) > 0 then
            return true
        end
    end
    return false
end
