-- The schedule: each account's hosts by their time, and the accounts by the
-- time of their first one, or earlier: whoever finds that out corrects it.  A
-- host in flight is in no schedule.
local function due_at(ht, at)
    call('ZADD', key('due', ac), at, ht)
    call('ZADD', key('due'), 'LT', at, ac)
end
local function due_never(ht)
    call('ZREM', key('due', ac), ht)
end
