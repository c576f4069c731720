-- Ends a check that will not be asked any more; only its callbacks are told.
--- include: keep
--- include: events
--- use: account host
local function check_failed(pp, ttl, h, value, message)
    local now = now_ms()
    local ck = key('check', ac, pp)
    local callbacks, keep = unpack(call('HMGET', ck, 'callbacks', 'keep'))
    call('HSET', ck, 'status', 'failed', 'host', value, 'host_id',
        h and h[HOST.id] or '', 'completed', now, 'message', message)
    keep_ended(ck, ttl, keep)
    if callbacks then
        local n = h and h[HOST.listed_count] or 0
        emit(load(KEYS[1])[ACCOUNT.timezone], completed_sid(pp),
            'rbl.host.check.completed', now, pp, h and cmsgpack.pack(h) or '',
            value, n > 0, n, no_results, 0, cmsgpack.unpack(callbacks),
            message)
    end
end
