-- State of a system list that all daemons share: the hash list:<RB> (KEYS[1]);
-- shared/record/rbl_keys.h has its fields.  Times are the store's.
local HOUR = 3600000
local t = call('TIME')
local now_us = t[1] * 1000000 + t[2]
local now = math.floor(now_us / 1000)
-- A number from 0 to 2^53; 0 for anything else.
local function num(v)
    local n = tonumber(v) or 0
    return n >= 0 and n <= 9007199254740992 and math.floor(n) or 0
end
local function digits(n)
    return string.format('%.0f', n)
end
-- The remaining back-off of the list (ms).  If it would end later than the
-- longest back-off, the clock was set back.
local function backs_off(till)
    local left = num(till) - now
    return left > 0 and left <= HOUR and left or 0
end
