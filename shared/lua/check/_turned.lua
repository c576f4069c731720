-- Steps of check_finish: what a host keeps of its changes, after a check in
-- which listings began (`began`: how many) or ended (`ended`, as they were):
-- those that ended (`past`), and whether it flaps.  relisted: lists that list
-- the host again, by their SIDs.
--- takes: began ended flap flap_day now past relisted relisted_within
--- sets: flap kept n_ended past past_most turn turns
--- include: flap
local past_most = 32
local kept, n_ended = {}, #ended
for _, p in ipairs(past or {}) do
    if p[PAST.till] > now - relisted_within and not relisted[p[PAST.list]] then
        kept[#kept + 1] = p
    end
end
for i = 1, math.min(n_ended, past_most) do
    local l = ended[i]
    kept[#kept + 1] = {l[LISTING.list], l[LISTING.zone], l[LISTING.since], now,
        l[LISTING.weight] or 0, l[LISTING.off] or 0}
end
past = #kept <= past_most and kept
    or {unpack(kept, #kept - past_most + 1)}

-- Of a clock that was ahead nothing counts.
if not flap or #flap == 0 or flap[FLAP.changed] > now then
    flap = {0, 0, 0, 0, 0, 0, 0, 0, 0}
end
local turn = flap[FLAP.first]
if not flap_until(flap, now) then
    flap[FLAP.since], flap[FLAP.at], flap[FLAP.changes] = 0, 0, 0
end
flap[FLAP.changed] = now
flap[FLAP.ended] = flap[FLAP.ended] + n_ended
local turns = began > 0 and (flap[FLAP.last] == 0 or flap[FLAP.ended] > 0)
if flap[FLAP.since] > 0 then
    flap[FLAP.changes] = flap[FLAP.changes] + began + n_ended
elseif turns and turn > 0 and now - turn <= flap_day then
    flap[FLAP.since], flap[FLAP.at] = turn, now
    flap[FLAP.changes] = flap[FLAP.before] + flap[FLAP.begun]
        + flap[FLAP.ended] + began
end
if turns then
    flap[FLAP.first], flap[FLAP.last] = flap[FLAP.last], now
    flap[FLAP.before] = flap[FLAP.begun] + flap[FLAP.ended]
    flap[FLAP.begun], flap[FLAP.ended] = began, 0
else
    flap[FLAP.begun] = flap[FLAP.begun] + began
end
