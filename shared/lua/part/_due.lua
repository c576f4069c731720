-- The schedule: "due:<AC>" has each account's hosts by their next time, "due"
-- the accounts by the time of their first host, or earlier: a turn that comes
-- too early is corrected then.  A claimed host is due at the end of its lease;
-- one with a manual check is in no schedule.
local function due_at(ht, at)
    call('ZADD', key('due', ac), at, ht)
    call('ZADD', key('due'), 'LT', at, ac)
end
local function due_never(...)
    call('ZREM', key('due', ac), ...)
end
-- When a host that was checked now is due again.  Each has a time of its own
-- within the interval (s), made of the random digits of its SID: so the load is
-- flat, however many were added at once.  Not sooner than a tenth of it.
local function next_time(ht, now, interval)
    local ms = interval * 1000
    local wait = ((tonumber(ht:sub(24), 16) or 0) - now) % ms
    return now + (wait * 10 < ms and wait + ms or wait)
end
