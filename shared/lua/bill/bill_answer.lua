-- What the gateway has said about an attempt of a payment.  The same answer
-- again is no error, and has no effect.
--- key: acct  acct:<AC>
--- arg: payment  SID
--- arg: attempt  its number, from 1
--- arg: result  succeeded, processing, declined, customer, unknown,
--          misconfigured; missing: all payments of the customer were read, and
--          it is not one of them
--- arg: reference  of the gateway, or ""
--- arg: amount  of a recharge: what was charged (micro-USD); "": its amount
--- arg: reason  why it is declined: a code
--- arg: final  1: the daemon does not retry the payment
--- arg: text  of the gateway
--- arg: brand  of the card that a server of the operator names
--- arg: last4
--- arg: month  when it expires; "": it names none
--- arg: year  or ""
--- arg: url  where the customer has to act
--- reply: OK state  operator: it is late, and the operator is told now
--- reply: PAYMENT  there is none
--- reply: OTHER state reference  it has ended in another way before
--- include: bill_done
--- include: bill_failed
--- include: source
local a, b = load(KEY.acct), load(bill_key)
local p = payment_load(ARG.payment)
if not a or not b or not p then
    return {'PAYMENT'}
end
local now, result = now_ms(), ARG.result
local attempt = tonumber(ARG.attempt)
local state = p[PAYMENT.state]
local function other()
    return {'OTHER', state, p[PAYMENT.reference]}
end
if state == 'succeeded' or state == 'void' then
    return result == 'succeeded' and state == result
        and ARG.reference == p[PAYMENT.reference] and {'OK', state} or other()
end
-- Money that has come is booked, also for an attempt that was given up.
if result ~= 'succeeded'
    and (p[PAYMENT.sent] == 0 or attempt ~= p[PAYMENT.attempt] + 1)
then
    local reason = result == 'declined' and ARG.reason
        or result == 'missing' and 'not_made'
    return attempt == p[PAYMENT.attempt] and reason == p[PAYMENT.reason]
        and {'OK', state} or other()
end
local minute, hour = 60000, 3600000
local age = now - p[PAYMENT.sent]
-- After an answer that means nothing: the same request with the same key, or
-- questions for it (bill_send.lua).
local function wait_unknown()
    local waits = {5000, minute, 5 * minute, 30 * minute}
    return age > 23 * hour and hour or waits[p[PAYMENT.tried]] or 30 * minute
end
-- People are told once for each attempt.
local function tell(word)
    bill_event(a, b, word, p[PAYMENT.id] .. ':' .. ARG.attempt, now,
        {payment = p})
end
-- The operator may have to find out, and is told once.
local function late(most)
    if age > most and p[PAYMENT.late] == 0 then
        p[PAYMENT.late] = now
        tell('operator')
    end
end
if ARG.month ~= '' and (result == 'succeeded' or result == 'declined') then
    local s = load(source_key(server_source))
    local month, year = tonumber(ARG.month), tonumber(ARG.year)
    if not s or s[SOURCE.last4] ~= ARG.last4 or s[SOURCE.month] ~= month
        or s[SOURCE.year] ~= year
    then
        save(source_key(server_source), {1, server_source, 'card', ARG.brand,
            ARG.last4, month, year, '', 1, 0, now, now})
        call('ZADD', key('sources', ac), tostring(now), server_source)
    end
    p[PAYMENT.source] = server_source
end
if result == 'succeeded' then
    -- A store that was restored has opened it again for another amount.
    if p[PAYMENT.kind] ~= 'renewal' and ARG.amount ~= '' then
        p[PAYMENT.amount] = tonumber(ARG.amount)
    end
    -- A card that is charged after its end was renewed: it is read again.
    local s = load(key('source', ac, p[PAYMENT.source]))
    if s and s[SOURCE.told] == -1 then
        s[SOURCE.told], s[SOURCE.asked] = 7, 0
        save(key('source', ac, p[PAYMENT.source]), s)
    end
    bill_done(a, b, p, ARG.reference, now)
    return {'OK', 'succeeded'}
elseif result == 'declined' then
    bill_failed(a, b, p, ARG.reason, ARG.final == '1', ARG.text, now)
    return {'OK', p[PAYMENT.state]}
elseif result == 'missing' and age > 24 * hour then
    -- No request is on its way any more, so nothing was charged.
    bill_failed(a, b, p, 'not_made', false, ARG.text, now)
    payment_wake()
    return {'OK', p[PAYMENT.state]}
end
p[PAYMENT.text] = ARG.text
if ARG.reference ~= '' then
    p[PAYMENT.reference] = ARG.reference
end
if result == 'processing' or result == 'customer' then
    p[PAYMENT.state], p[PAYMENT.url] = result, ARG.url
    p[PAYMENT.next] = now + math.floor(math.max(minute / 2,
        math.min(age / 4, hour)))
    if result == 'customer' and state ~= result then
        tell(result)
    end
    late(7 * day_ms)
else
    p[PAYMENT.state] = 'unknown'
    p[PAYMENT.next] = now + wait_unknown()
    late(47 * hour)
end
payment_save(p)
return {'OK', p[PAYMENT.late] == now and 'operator' or p[PAYMENT.state]}
