-- Pending deliveries to webhook receivers, and callbacks, in pending:<AC>, so
-- that a receiver that fails keeps a bounded number of them.  A callback
-- belongs to its application.  All scores are 0: the members are sorted by
-- receiver, then by age.
local pending_most = 10000
local function pending_name(ev, target, app, first)
    return table.concat({app or target, first, ev, target}, ':')
end
-- The next claim makes a dead letter of it, within that script's budget for
-- bodies.  A member that is not in "retry" is no delivery: CH tells, for no
-- other score has half a millisecond.
local function pending_excess(ac, ev, target, now)
    if call('ZADD', key('retry'), 'XX', 'CH', now - 0.5,
        table.concat({ac, ev, target}, ':')) == 1
    then
        call('HSET', key('dlv', ac, ev, target), 'excess', 1)
    end
end
-- now: the delivery's field "first".  If the receiver has too many, the oldest
-- one ends; two at most, so that an excess of whatever origin goes.
local function pending_add(ac, ev, target, app, now)
    local k, of = key('pending', ac), app or target
    call('ZADD', k, 0, pending_name(ev, target, app, now))
    if call('ZCARD', k) <= pending_most then
        return
    end
    local min, max = '[' .. of .. ':', '(' .. of .. ';'
    local n = math.min(2, call('ZLEXCOUNT', k, min, max) - pending_most)
    local oldest = n > 0
        and call('ZRANGE', k, min, max, 'BYLEX', 'LIMIT', 0, n) or {}
    for _, member in ipairs(oldest) do
        call('ZREM', k, member)
        local old_ev, old_target = string.match(member, ':(%w+):(%w+)$')
        pending_excess(ac, old_ev, old_target, now)
    end
end
