-- Money follows the calendar: no step of billing is made while the clocks of
-- the daemon and of the store differ by more than an hour.  clock: of the
-- daemon (ms), or "": any clock will do.
local function clocks_apart(clock, now)
    clock = tonumber(clock)
    return clock and math.abs(clock - now) > 3600000
end
