-- Finishes a check that will not be done, and notifies its callbacks, and
-- webhook receivers that got the event of its start.
--- include: keep
--- include: events
local function check_failed(pp, ttl, h, value, message)
    local now = now_ms()
    local ck = key('check', ac, pp)
    local callbacks, keep, status = unpack(call('HMGET', ck, 'callbacks',
        'keep', 'status'))
    local hooks = h and status == 'running' and wants_events()
    call('HSET', ck, 'status', 'failed', 'host', value, 'host_id',
        h and h[HOST.id] or '', 'completed', now, 'message', message)
    keep_ended(ck, ttl, keep)
    if callbacks or hooks then
        local n = h and h[HOST.listed_count] or 0
        emit(load(KEY.acct)[ACCOUNT.timezone], nil,
            'rbl.host.check.completed', now, pp, h and event_host(h) or '',
            value, n > 0, n, no_results, hooks and 1 or 0,
            callbacks or no_callbacks, message)
        call('HDEL', ck, 'callbacks')
    end
end
