-- Steps of check_finish: listings have begun or ended (_transitions.lua); the
-- record keeps the last ones that ended.  One that its list has ended is kept
-- for seven days, one whose list is not used until there are newer ones, and
-- neither when the list lists the host again.
--- takes: began ended flap now past relisted relisted_within
--- sets: flap kept n_clear past past_most
local past_most = 32
local kept, n_clear = {}, 0
for _, p in ipairs(past or {}) do
    if not relisted[p[PAST.list]] and (p[PAST.disused] == 1
        or p[PAST.till] > now - relisted_within)
    then
        kept[#kept + 1] = p
    end
end
for _, end_of in ipairs(ended) do
    local l, how = unpack(end_of)
    n_clear = n_clear + (how == 'clear' and 1 or 0)
    kept[#kept + 1] = {l[LISTING.list], l[LISTING.zone], l[LISTING.since], now,
        l[LISTING.weight] or 0, l[LISTING.off] or 0, how == 'ended' and 1 or 0}
end
past = {unpack(kept, math.max(1, #kept - past_most + 1))}

if began > 0 or n_clear > 0 then
    --- include: turned
end
flap = flap or {}
