-- The operator knows how a payment ended: the money has come, which the gateway
-- has no part in, or he has found out what the gateway does not tell.  Twice is
-- no error, and has one effect.  Money for the balance may come after the
-- payment was given up.
--- key: acct  acct:<AC>
--- arg: payment  SID
--- arg: result  paid: without the gateway; succeeded, failed
--- arg: reference  of the operator's books, or of the gateway
--- arg: amount  that has come (micro-USD); "": that of the payment
--- arg: force  1: also if it is not left to the operator, or ""
--- audit
--- reply: OK
--- reply: PAYMENT  there is none
--- reply: DONE state reference  it is done in another way, or being made
--- reply: STATE state reference  it does not wait for an answer
--- reply: FLIGHT state  it is not left to the operator, or a request to charge
--          is on its way: that charge would come twice
--- reply: USED amount  something else was booked by that reference (USD)
--- reply: LIMIT  the balance would be too large
--- include: bill_done
--- include: bill_failed
local a, b = load(KEY.acct), load(bill_key)
local p = payment_load(ARG.payment)
if not a or not b or not p then
    return {'PAYMENT'}
end
named = b[BILL.plan]
local state, paid = p[PAYMENT.state], ARG.result == 'paid'
local amount = tonumber(ARG.amount) or p[PAYMENT.amount]
local _, used = booked(ARG.reference, p[PAYMENT.key], amount)
if paid and state ~= 'open' and state ~= 'failed'
    and not (state == 'void' and for_balance(p))
then
    by = nil
    return state == 'succeeded' and p[PAYMENT.reference] == ARG.reference
        and p[PAYMENT.amount] == amount and {'OK'}
        or {'DONE', state, p[PAYMENT.reference]}
elseif not paid and (p[PAYMENT.sent] == 0 or state == 'succeeded'
    or state == 'void')
then
    return {'STATE', state, p[PAYMENT.reference]}
elseif ARG.result ~= 'failed' then
    if used or money_read().balance + amount > balance_most then
        return used or {'LIMIT'}
    end
    p[PAYMENT.amount] = amount
    bill_done(a, b, p, ARG.reference, now_ms())
elseif ARG.force ~= '1' and (p[PAYMENT.late] == 0 or state == 'sent') then
    return {'FLIGHT', state}
else
    bill_failed(a, b, p, 'settled', false, '', now_ms())
    payment_wake()
end
return {'OK'}
