-- Records what became of one attempt.  An attempt that was recorded already,
-- by whoever took it over, is not counted twice.
-- KEYS[1] retry
-- ARGV    1 member  2 attempt  3 outcome: ok, retry, unsure (retry, but it may
--         have arrived), dead, gone (the receiver is disabled, the contact
--         paused)  4 ms until the next attempt  5 HTTP status or 0
--         6 error text  7 what the contact's value is from now on, "": as it is
-- Result  OK | STALE
--- include: base
--- include: delivery
--- include: alerts
--- use: hook contact
local member = ARGV[1]
local ac, ev, target = string.match(member, '^(%w+):(%w+):(%w+)$')
local dk = key('dlv', ac, ev, target)
if call('HGET', dk, 'attempt') ~= ARGV[2] then
    return {'STALE'}
end
local now = now_ms()
local rk = key('r', ac, target)
if (ARGV[7] or '') ~= '' then
    local contact = load(rk)
    if contact then
        contact[CONTACT.value] = ARGV[7]
        save(rk, contact)
    end
end
if ARGV[3] == 'retry' or ARGV[3] == 'unsure' then
    if ARGV[3] == 'retry' and tonumber(call('HGET', dk, 'sent') or 0) > 0 then
        call('HINCRBY', dk, 'sent', -1)
    end
    call('HSET', dk, 'attempt', ARGV[2] + 1, 'status', ARGV[5],
        'error', ARGV[6])
    call('ZADD', KEYS[1], now + ARGV[4], member)
    return {'OK'}
end
if ARGV[3] ~= 'ok' then
    delivery_dead(ac, ev, target, ARGV[5], ARGV[6], ARGV[2] + 1)
end
if ARGV[3] == 'gone' and target:sub(1, 2) == 'WH' then
    local hook = load(key('s', ac, target))
    if hook then
        hook[HOOK.status] = 'disabled'
        save(key('s', ac, target), hook)
    end
elseif ARGV[3] == 'gone' and target:sub(1, 2) == 'CO' then
    local contact = load(rk)
    if contact and contact[CONTACT.status] == 'active' then
        contact[CONTACT.status] = 'paused'
        save(rk, contact)
        alerts_forget(ac)
    end
end
delivery_over(ac, ev, target, member)
return {'OK'}
