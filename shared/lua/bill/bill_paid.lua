-- Books a payment that the operator has received.  Twice is no error, and has
-- one effect.  Money for a recharge may come after it was given up.
--- key: acct  acct:<AC>
--- arg: payment  SID
--- arg: reference  of the operator's books
--- audit
--- reply: OK
--- reply: PAYMENT  there is none
--- reply: DONE state reference  it is done in another way, or being made
--- include: bill_done
local payment = load(payment_key(ARG.payment))
local b, a = load(bill_key), load(KEY.acct)
if not payment or not b or not a then
    return {'PAYMENT'}
end
named = b[BILL.plan]
local state = payment[PAYMENT.state]
if state ~= 'open' and state ~= 'failed' and (state ~= 'void'
    or payment[PAYMENT.kind] ~= 'recharge')
then
    by = nil
    if payment[PAYMENT.state] == 'succeeded'
        and payment[PAYMENT.reference] == ARG.reference
    then
        return {'OK'}
    end
    return {'DONE', payment[PAYMENT.state], payment[PAYMENT.reference]}
end
bill_done(a, b, payment, ARG.reference, now_ms())
return {'OK'}
