-- A host *flaps* when it has been listed three times within a day, one after
-- the other, and until nothing has changed for six hours: schema.txt, `flap`.
local flap_day, flap_quiet = 86400000, 21600000
-- Until when a host flaps (ms) if nothing changes; nil: it does not.  A clock
-- that is set back does not make that much longer.
local function flap_until(flap, now)
    local since = flap and flap[FLAP.since] or 0
    if since > 0 and math.abs(now - flap[FLAP.changed]) < flap_quiet then
        return flap[FLAP.changed] + flap_quiet
    end
end
