-- The record of a check that clients asked for is kept until the check
-- finishes, at most a year, and after that as long as the longest time that one
-- of them asked for (field `keep`, ms).  Other records expire from the start.
local year = 366 * 86400000
local function keep_asked(k, ttl)
    local longest = tonumber(call('HGET', k, 'keep')) or 0
    call('HSET', k, 'keep', math.max(longest, tonumber(ttl)))
    call('PEXPIRE', k, year)
end
local function keep_ended(k, ttl, keep)
    call('PEXPIRE', k, math.max(tonumber(keep) or 0, tonumber(ttl)))
end
