-- Books that some of a payment was paid back.  The money moves at the gateway,
-- or at the operator's bank.
--- key: acct  acct:<AC>
--- arg: payment  SID
--- arg: amount  micro-USD
--- arg: reference  of the gateway, or of the operator's books: the same refund
--          is booked once
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- reply: PAYMENT  there is none
--- reply: DONE state reference  it has not succeeded
--- reply: ABOVE amount  only so much of it was not paid back yet (USD)
--- reply: CREDITED amount rest  likewise, as the rest of its period is in the
--          balance (USD)
--- reply: USED amount  something else was booked by that reference (USD)
--- reply: RECHARGE falls  below that (USD) the account would be charged again
--- include: account_of
--- include: credit_done
local b, p = load(bill_key), payment_load(ARG.payment)
if not p then
    return {'PAYMENT'}
end
named = p[PAYMENT.plan]
local amount, m = tonumber(ARG.amount), money_read()
local credited = p[PAYMENT.credited]
local left = p[PAYMENT.amount] - p[PAYMENT.refunded] - credited
local of = 'rf:' .. p[PAYMENT.id] .. ':' .. ARG.reference
local done, used = booked(ARG.reference, of, amount)
local credit = for_balance(p)
local by_check = credit and b and b[BILL.period] == 'check'
if done then
    by = nil
    return {'OK'}
elseif used then
    return used
elseif p[PAYMENT.state] ~= 'succeeded' then
    return {'DONE', p[PAYMENT.state], p[PAYMENT.reference]}
elseif amount > left then
    local most = string.format('%.2f', math.floor(left / cent) / 100)
    return credited == 0 and {'ABOVE', most}
        or {'CREDITED', most, string.format('%.2f', credited / 1e6)}
elseif by_check and terms[TERMS.recharge_to] > 0
    and m.balance - m.used - amount < terms[TERMS.falls_below]
then
    return {'RECHARGE', string.format('%.2f', terms[TERMS.falls_below] / 1e6)}
end
p[PAYMENT.refunded] = p[PAYMENT.refunded] + amount
save(payment_key(p[PAYMENT.id]), p)
ledger_add(of, credit and 'credit' or 'revenue', 'cash', amount, p[PAYMENT.id],
    ARG.reference)
if by_check then
    credit_step(a, b, now_ms())
    bill_save(b)
end
return {'OK'}
