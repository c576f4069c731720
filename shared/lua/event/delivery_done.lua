-- Records what became of one attempt.  An attempt that was recorded already,
-- by whoever took it over, is not counted twice.
-- KEYS[1] retry
-- ARGV    1 member  2 attempt  3 outcome: ok, retry, unsure (retry, but it may
--         have arrived), dead, gone (the receiver is disabled, the contact
--         paused)  4 ms until the next attempt  5 HTTP status or 0
--         6 error text  7 what the contact's value is from now on, "": as it is
--         8 the attempt as it is logged, packed, or ""  9 ms for which the
--         receiver asked for quiet
-- Result  OK | STALE
--- include: base
--- include: member
--- include: delivery
--- include: fails
--- include: log
--- include: hears
--- use: contact
local dk = key('dlv', ac, ev, target)
local d = call('HMGET', dk, 'attempt', 'test', 'app', 'sent', 'url',
    'first', 'excess')
if d[1] ~= ARGV[2] then
    return {'STALE'}
end
local now, outcome, test = now_ms(), ARGV[3], d[2]
log_attempt(d[3] or target, ARGV[8] or '')
log_write(now)
local kind, value, quiet = target:sub(1, 2), ARGV[7] or '',
    tonumber(ARGV[9]) or 0
if kind == 'WH' then
    hook_attempted(target, outcome, test, now, quiet)
elseif kind == 'CB' then
    host_attempted(d[5], outcome, now, quiet)
elseif kind == 'CO' then
    local rk = key('r', ac, target)
    local contact = load(rk)
    if contact and contact[CONTACT.type] == 'endpoint' then
        host_attempted(contact[CONTACT.value], outcome, now, quiet)
    end
    if contact and (outcome == 'gone' or value ~= '') then
        if value ~= '' then
            contact[CONTACT.value] = value
        end
        if outcome == 'gone' and contact[CONTACT.status] == 'active' then
            contact[CONTACT.status] = 'paused'
        end
        save(rk, contact)
        hears_change(target, contact)
    end
end
hooks_well()
if (outcome == 'retry' or outcome == 'unsure') and not test then
    if outcome == 'retry' and tonumber(d[4] or 0) > 0 then
        call('HINCRBY', dk, 'sent', -1)
    end
    call('HSET', dk, 'attempt', ARGV[2] + 1, 'status', ARGV[5],
        'error', ARGV[6])
    call('ZADD', KEYS[1], d[7] and now or now + ARGV[4], member)
    return {'OK'}
end
if outcome ~= 'ok' and not test then
    delivery_dead(ac, ev, target, ARGV[5], ARGV[6], ARGV[2] + 1)
end
delivery_over(ac, ev, target, member, d[6], d[3])
return {'OK'}
