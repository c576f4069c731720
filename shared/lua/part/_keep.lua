-- The record of a check that somebody has asked for is kept until the check is
-- over, which a year ends at last, and then for as long as whoever wanted it
-- longest has asked: `keep`, in ms.  Others have their end from the start.
local year = 366 * 86400000
local function keep_asked(k, ttl)
    local longest = tonumber(call('HGET', k, 'keep')) or 0
    call('HSET', k, 'keep', math.max(longest, tonumber(ttl)))
    call('PEXPIRE', k, year)
end
local function keep_ended(k, ttl, keep)
    call('PEXPIRE', k, math.max(tonumber(keep) or 0, tonumber(ttl)))
end
