--- include: pending
-- Adds a delivery to an event; false: the event has it already.  app: the
-- application of a callback, or nil.  The rest are fields of the delivery.
local function deliver_single(ev, target, type, body, app, ...)
    local dk, ek = key('dlv', ac, ev, target), key('event', ac, ev)
    if call('EXISTS', dk) == 1 then
        return false
    end
    local now = now_ms()
    call('HSET', dk, 'attempt', 0, 'first', now, ...)
    if call('HINCRBY', ek, 'open', 1) == 1 then
        call('HSET', ek, 'type', type, 'date', now, 'body', body)
    end
    call('ZADD', key('retry'), now, table.concat({ac, ev, target}, ':'))
    if target:sub(1, 2) ~= 'CO' then
        pending_add(ac, ev, target, app, now)
    end
    return true
end
