-- Microseconds.  TIME stands still in scripts of Redis from 7.2 on, which has
-- os.clock; in versions with neither the estimates of a script count alone.
local os_clock = rawget(_G, 'os')
local function clock()
    if os_clock then
        return os_clock.clock() * 1000000
    end
    local t = call('TIME')
    return t[1] * 1000000 + t[2]
end
