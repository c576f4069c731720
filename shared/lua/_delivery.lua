-- The end of one delivery; the event goes with its last one.
local function delivery_over(ac, ev, target, member)
    redis.call('ZREM', KEYS[1], member)
    if redis.call('DEL', key('dlv', ac, ev, target)) == 1
        and redis.call('HINCRBY', key('event', ac, ev), 'open', -1) <= 0
    then
        redis.call('DEL', key('event', ac, ev))
    end
end
