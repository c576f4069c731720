-- Steps of check_finish: counts the listings of the host, which have changed.
-- Those of a paused host are counted when it is resumed.
--- takes: ac before began day_ms ended h listings n_listed n_transitions now
--- takes: status transitions weight_unknown
--- sets: counted
--- include: state
--- include: listings
--- include: days
pcall(days_turn, now, began, #ended)
local counted = status == 'active' and listings_count(before, -1)
for i = 1, n_listed do
    local l = listings[i]
    -- Older records lack the fields before this one.
    if l[LISTING.again] then
        l[LISTING.off] = l[LISTING.off] or 0
        l[LISTING.counted] = (l[LISTING.weight] or 0) > 0
            and l[LISTING.weight] or l[LISTING.counted] or weight_unknown
    end
end
if status == 'active' and listings_count(listings, 1) ~= counted then
    listed_in_groups(h[HOST.groups], counted and -1 or 1)
end
refs_write()
if began > 0 then
    local k = key('newly', ac, math.floor(now / day_ms))
    for i = 1, n_transitions do
        if transitions[i][3] == 'listed' then
            call('HINCRBY', k, transitions[i][1], 1)
        end
    end
    call('PEXPIRE', k, 8 * day_ms)
end
