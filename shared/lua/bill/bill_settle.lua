-- The operator has found out how a payment ended which the gateway does not
-- tell.
--- key: acct  acct:<AC>
--- arg: payment  SID
--- arg: result  succeeded, failed
--- arg: reference  of the gateway
--- arg: amount  that was charged (micro-USD); "": that of the payment
--- arg: force  1: also if it is not left to the operator, or ""
--- audit
--- reply: OK
--- reply: PAYMENT  there is none
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
if p[PAYMENT.sent] == 0 or p[PAYMENT.state] == 'succeeded'
    or p[PAYMENT.state] == 'void'
then
    return {'STATE', p[PAYMENT.state], p[PAYMENT.reference]}
end
if ARG.result == 'failed' and ARG.force ~= '1'
    and (p[PAYMENT.late] == 0 or p[PAYMENT.state] == 'sent')
then
    return {'FLIGHT', p[PAYMENT.state]}
end
if ARG.result == 'succeeded' then
    local amount, refusal = arrived(p, ARG.amount, ARG.reference)
    if refusal then
        return refusal
    end
    p[PAYMENT.amount] = amount
    bill_done(a, b, p, ARG.reference, now_ms())
else
    bill_failed(a, b, p, 'settled', false, '', now_ms())
    payment_wake()
end
return {'OK'}
