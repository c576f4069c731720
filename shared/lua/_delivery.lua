-- The end of one delivery; the event goes with its last one.
local function delivery_over(ac, ev, target, member)
    call('ZREM', KEYS[1], member)
    if call('DEL', key('dlv', ac, ev, target)) == 1
        and call('HINCRBY', key('event', ac, ev), 'open', -1) <= 0
    then
        call('DEL', key('event', ac, ev))
    end
end
-- What is given up stays as a dead letter; the body of a confirmation does not,
-- for it holds the code.
local function delivery_dead(ac, ev, target, status, text, attempts)
    local e = call('HMGET', key('event', ac, ev), 'type', 'body')
    local body = e[1] ~= 'contact.confirm' and e[2] or ''
    call('XADD', key('dead', ac), 'MAXLEN', '~', 10000, '*', 'e', ev,
        'to', target, 'url',
        call('HGET', key('dlv', ac, ev, target), 'url') or '',
        't', e[1] or '', 'b', body, 's', status, 'x', text,
        'n', attempts)
end
