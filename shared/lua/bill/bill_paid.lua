-- Books a payment that the operator has received.  Twice is no error, and has
-- one effect.  Money for the balance may come after it was given up.
--- key: acct  acct:<AC>
--- arg: payment  SID
--- arg: reference  of the operator's books
--- arg: amount  that has arrived (micro-USD); "": that of the payment
--- audit
--- reply: OK
--- reply: PAYMENT  there is none
--- reply: DONE state reference  it is done in another way, or being made
--- reply: USED amount  something else was booked by that reference (USD)
--- reply: LIMIT  the balance would be too large
--- include: bill_done
local payment = payment_load(ARG.payment)
local b, a = load(bill_key), load(KEY.acct)
if not payment or not b or not a then
    return {'PAYMENT'}
end
named = b[BILL.plan]
local state = payment[PAYMENT.state]
local amount, refusal = arrived(payment, ARG.amount, ARG.reference)
if state ~= 'open' and state ~= 'failed' and (state ~= 'void'
    or payment[PAYMENT.kind] == 'renewal'
    or payment[PAYMENT.kind] == 'upgrade')
then
    by = nil
    if state == 'succeeded' and payment[PAYMENT.reference] == ARG.reference
        and payment[PAYMENT.amount] == amount
    then
        return {'OK'}
    end
    return {'DONE', state, payment[PAYMENT.reference]}
elseif refusal then
    return refusal
end
payment[PAYMENT.amount] = amount
bill_done(a, b, payment, ARG.reference, now_ms())
return {'OK'}
