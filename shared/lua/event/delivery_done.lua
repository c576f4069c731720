-- Records the outcome of one attempt.  An attempt that another daemon took over
-- and recorded is not counted twice.
--- key: retry
--- arg: member  of retry: "<AC>:<EV>:<target>"
--- arg: attempt  its number, 0 = first
--- arg: outcome  ok, retry, unsure (retry, but it may have arrived), dead, gone
--          (the receiver is disabled, the contact paused)
--- arg: delay  ms until the next attempt
--- arg: status  of HTTP, or 0
--- arg: error  a text
--- arg: value  new value of the contact; "": unchanged
--- arg: log  the attempt as it is logged, packed, or ""
--- arg: quiet  ms for which the receiver has asked for no requests
--- arg: unsure  "1": the attempt failed, but it may have arrived
--- reply: OK
--- reply: STALE
-- The account for the included parts.
local member = ARG.member
local ac, ev, target = string.match(member, '^(%w+):(%w+):(%w+)$')
--- include: delivery
--- include: fails
--- include: log
--- include: hears
--- include: untold
local dk = key('dlv', ac, ev, target)
local d = call('HMGET', dk, 'attempt', 'test', 'app', 'sent', 'url',
    'first', 'excess', 'host', 'unsure')
if d[1] ~= ARG.attempt then
    return {'STALE'}
end
local now, outcome, test = now_ms(), ARG.outcome, d[2]
local kind, value, quiet = target:sub(1, 2), ARG.value or '',
    tonumber(ARG.quiet) or 0
if kind ~= 'US' then
    log_attempt(d[3] or target, ARG.log or '')
    log_write(now)
end
if kind == 'WH' then
    hook_attempted(target, outcome, test, now, quiet)
elseif kind == 'CB' then
    host_attempted(d[5], outcome, now, quiet)
elseif kind == 'CO' then
    local rk = key('r', ac, target)
    local contact = load(rk)
    if contact and contact_has_circuit(contact[CONTACT.type]) then
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
local unsure = ARG.unsure == '1' or outcome == 'unsure' or d[9]
if (outcome == 'retry' or outcome == 'unsure') and not test then
    if outcome == 'retry' and tonumber(d[4] or 0) > 0 then
        call('HINCRBY', dk, 'sent', -1)
    end
    call('HSET', dk, 'attempt', ARG.attempt + 1, 'status', ARG.status,
        'error', ARG.error)
    if unsure and not d[9] and kind == 'CO' then
        call('HSET', dk, 'unsure', 1)
    end
    call('ZADD', KEY.retry, d[7] and now or now + ARG.delay, member)
    return {'OK'}
end
if outcome ~= 'ok' and not test then
    delivery_dead(ac, ev, target, ARG.status, ARG.error, ARG.attempt + 1)
    if kind == 'CO' and not unsure then
        begins_untold(ac, ev, target, d[8])
    end
end
delivery_over(ac, ev, target, member, d[6], d[3])
return {'OK'}
