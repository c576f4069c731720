-- The operator knows how a payment ended: the money has come, which the gateway
-- has no part in, or he has found out what the gateway does not tell.  Twice is
-- no error, and has one effect.  Money for the balance may come after the
-- payment was given up.  What is above the price of a plan is a top-up.
--- key: acct  acct:<AC>
--- arg: payment  SID
--- arg: result  paid: without the gateway; succeeded, failed
--- arg: reference  of the operator's books, or of the gateway
--- arg: amount  that has come (micro-USD); "": that of the payment
--- arg: force  1: also if it is not left to the operator, or ""
--- audit
--- reply: OK sum# over#  what was booked, and for the balance beside it
--- reply: PAYMENT  there is none
--- reply: AMOUNT amount  it was changed after people were told another (USD)
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
local more = 'tp:' .. ac .. ':' .. p[PAYMENT.id]
local was = payment_load(payment_sid(more))
local over = was and was[PAYMENT.amount] or 0
local amount = tonumber(ARG.amount) or p[PAYMENT.amount] + over
local _, used = booked(ARG.reference, p[PAYMENT.key], amount)
if paid and state ~= 'open' and state ~= 'failed'
    and not (state == 'void' and for_balance(p))
then
    by = nil
    return state == 'succeeded' and p[PAYMENT.reference] == ARG.reference
        and p[PAYMENT.amount] + over == amount
        and {'OK', p[PAYMENT.amount], over}
        or {'DONE', state, p[PAYMENT.reference]}
elseif paid and p[PAYMENT.told] < 0 and ARG.amount == '' then
    return {'AMOUNT', string.format('%.2f', amount / 1e6)}
elseif not paid and (p[PAYMENT.sent] == 0 or state == 'succeeded'
    or state == 'void')
then
    return {'STATE', state, p[PAYMENT.reference]}
elseif ARG.result ~= 'failed' then
    if used or money_read().balance + amount > balance_most then
        return used or {'LIMIT'}
    end
    over = for_balance(p) and 0 or math.max(amount - p[PAYMENT.amount], 0)
    if over > 0 then
        local py = payment_open(b, 'topup', more, over, now_ms(), 0, 0)
        credit_done(a, b, payment_load(py), ARG.reference, now_ms())
    end
    p[PAYMENT.amount] = amount - over
    bill_done(a, b, p, ARG.reference, now_ms())
    return {'OK', p[PAYMENT.amount], over}
elseif ARG.force ~= '1' and (p[PAYMENT.late] == 0 or state == 'sent') then
    return {'FLIGHT', state}
else
    bill_failed(a, b, p, 'settled', false, '', now_ms())
    payment_wake()
end
return {'OK', 0, 0}
