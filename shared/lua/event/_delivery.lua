--- include: pending
-- For scripts whose key is retry; `letter` and `failure` do not use it.
-- Messages to a contact go out one after the other: only the first of its line
-- is due.  When it ends, the next one becomes due.
local function line_next(ac, ev, co)
    local line = key('line', ac, co)
    if call('LREM', line, 1, ev) == 0 then
        return
    end
    local next_ev = call('LINDEX', line, 0)
    if next_ev then
        local at = tonumber(call('HGET', key('dlv', ac, next_ev, co), 'at'))
        call('ZADD', KEY.retry, 'NX', tostring(math.max(at or 0, now_ms())),
            ac .. ':' .. next_ev .. ':' .. co)
    else
        call('DEL', key('ends', ac, co))    -- all are reported
    end
end
-- Ends a delivery, and with the last one its event.  first, app: fields of the
-- delivery, or false.
local function delivery_over(ac, ev, target, member, first, app)
    call('ZREM', KEY.retry, member)
    if target and target:sub(1, 2) == 'CO' then
        line_next(ac, ev, target)
    elseif first then
        call('ZREM', key('pending', ac), pending_name(ev, target, app, first))
    end
    if call('DEL', key('dlv', ac, ev, target)) == 1
        and call('HINCRBY', key('event', ac, ev), 'open', -1) <= 0
    then
        call('DEL', key('event', ac, ev))
    end
end
-- Keeps a delivery that has failed as a dead letter.  A body with a secret,
-- which is a code or a link, is not kept.
local secrets = {['contact.confirm'] = true, ['user.link'] = true}
local function letter(ac, ev, target, type, body, url, app, status, text,
    attempts)
    call('XADD', key('dead', ac), 'MAXLEN', '~', 10000, '*', 'e', ev,
        'to', target, 'url', url or '', 't', type or '',
        'b', not secrets[type] and body or '',
        's', status, 'x', text, 'n', attempts, 'a', app or '')
end
-- The error of pcall as a text.
local function failure(why)
    return type(why) == 'table' and why.err or tostring(why)
end
local function delivery_dead(ac, ev, target, status, text, attempts)
    local e = call('HMGET', key('event', ac, ev), 'type', 'body')
    local d = call('HMGET', key('dlv', ac, ev, target), 'url', 'app')
    letter(ac, ev, target, e[1], e[2], d[1], d[2], status, text, attempts)
end
