-- The schedule: each account's hosts by their time, and the accounts by the
-- time of their first one, or earlier: whoever finds that out corrects it.  A
-- host that a daemon has is due at the end of its lease; one with a manual
-- check is in no schedule.
local function due_at(ht, at)
    call('ZADD', key('due', ac), at, ht)
    call('ZADD', key('due'), 'LT', at, ac)
end
local function due_never(ht)
    call('ZREM', key('due', ac), ht)
end
-- No lease of a daemon is longer (s): whatever is due later than that cannot
-- be due before the account's turn if that is at the end of a lease.
local longest_lease = 3600
