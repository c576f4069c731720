-- What the gateway has said about an attempt of a payment.  The same answer
-- again is no error, and has no effect.
--- key: acct  acct:<AC>
--- arg: payment  SID
--- arg: attempt  its number, from 1
--- arg: result  succeeded, processing, declined, customer, unknown,
--          misconfigured
--- arg: reference  of the gateway, or ""
--- arg: reason  why it is declined: a code
--- arg: final  1: the daemon does not retry the payment
--- arg: text  of the gateway
--- arg: url  where the customer has to act
--- reply: OK state  operator: it is unknown, and left to the operator
--- reply: PAYMENT  there is none
--- reply: OTHER state reference  it has ended in another way before
--- include: bill_done
--- include: bill_failed
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
    return result == 'declined' and attempt == p[PAYMENT.attempt]
        and ARG.reason == p[PAYMENT.reason] and {'OK', state} or other()
end
local minute, hour = 60000, 3600000
local age = now - p[PAYMENT.sent]
-- After an answer that means nothing: the same request with the same key, then
-- questions for it.  After two days the operator has to find out.
local function wait_unknown()
    local waits = {5000, minute, 5 * minute, 30 * minute}
    return age > 47 * hour and 0 or now + (age > 23 * hour and hour
        or waits[p[PAYMENT.tried]] or 30 * minute)
end
if result == 'succeeded' then
    bill_done(a, b, p, ARG.reference, now)
    return {'OK', 'succeeded'}
elseif result == 'declined' then
    bill_failed(a, b, p, ARG.reason, ARG.final == '1', ARG.text, now)
    return {'OK', p[PAYMENT.state]}
end
p[PAYMENT.text] = ARG.text
if ARG.reference ~= '' then
    p[PAYMENT.reference] = ARG.reference
end
-- People are told once for each attempt.
local function tell(word)
    bill_event(a, word, p[PAYMENT.id] .. ':' .. ARG.attempt, now, b, p)
end
if result == 'processing' or result == 'customer' then
    p[PAYMENT.state], p[PAYMENT.url] = result, ARG.url
    p[PAYMENT.next] = now + math.max(minute / 2, math.min(age / 4, hour))
    if result == 'customer' and state ~= result then
        tell(result)
    end
else
    p[PAYMENT.state] = 'unknown'
    p[PAYMENT.next] = wait_unknown()
    if p[PAYMENT.next] == 0 then
        tell('operator')
    end
end
p[PAYMENT.next] = math.floor(p[PAYMENT.next])
save(payment_key(p[PAYMENT.id]), p)
return {'OK', p[PAYMENT.next] == 0 and 'operator' or p[PAYMENT.state]}
