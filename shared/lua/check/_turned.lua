-- Steps of check_finish: listings have begun (`began`: how many), or their
-- lists have ended them (`n_clear`): does the host flap?
--- takes: began flap flap_day n_clear now
--- sets: flap turn turns
--- include: flap
-- Of a clock that was ahead nothing counts.
if not flap or #flap == 0 or flap[FLAP.changed] > now then
    flap = {0, 0, 0, 0, 0, 0, 0, 0, 0}
end
local turn = flap[FLAP.first]
if not flap_until(flap, now) then
    flap[FLAP.since], flap[FLAP.at], flap[FLAP.changes] = 0, 0, 0
end
flap[FLAP.changed] = now
flap[FLAP.ended] = flap[FLAP.ended] + n_clear
local turns = began > 0 and (flap[FLAP.last] == 0 or flap[FLAP.ended] > 0)
if flap[FLAP.since] > 0 then
    flap[FLAP.changes] = flap[FLAP.changes] + began + n_clear
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
