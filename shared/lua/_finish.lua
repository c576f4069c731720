-- Ends of a job and of a check, shared by the scripts that end one.
--- include: events
--- use: account host
local function ack(stream, id)
    if id ~= '' then
        redis.call('XACK', key(stream), 'checkd', id)
        redis.call('XDEL', key(stream), id)
    end
end
local function check_over(pp, ttl, ...)
    local ck = key('check', ac, pp)
    redis.call('HSET', ck, ...)
    keep_for(ck, ttl)
end
-- Ends a check that will not be asked any more; only its callbacks are told.
-- The event's SID is made of the check's, so that it is the same if repeated.
local function check_failed(pp, ttl, h, value, message)
    local now = now_ms()
    local callbacks = redis.call('HGET', key('check', ac, pp), 'callbacks')
    check_over(pp, ttl, 'status', 'failed', 'host', value, 'host_id',
        h and h[HOST.id] or '', 'completed', now, 'message', message)
    if callbacks then
        emit({id = 'EV' .. pp:sub(3, 34), type = 'rbl.host.check.completed',
            date = now, check = pp, host = h and cmsgpack.pack(h) or '',
            value = value, hooks = 0, callbacks = cmsgpack.unpack(callbacks),
            listed = h and h[HOST.listed_count] > 0 and 1 or 0,
            total = h and h[HOST.listed_count] or 0,
            results = cmsgpack.pack({}), message = message,
            timezone = load(KEYS[1])[ACCOUNT.timezone]})
    end
end
