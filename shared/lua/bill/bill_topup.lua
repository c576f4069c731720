-- Books money that an account has paid in advance, for checks.  The same
-- payment is booked once.
--- key: acct  acct:<AC>
--- arg: payment  what makes it the same: the operator's reference, or a random
--          text
--- arg: amount  micro-USD
--- arg: reference  of the operator's books
--- audit
--- reply: OK balance#  what is left of it (micro-USD)
--- reply: ACCOUNT  there is none
--- reply: OTHER amount  that reference was booked with another amount (USD)
--- reply: LIMIT  the balance would be too large
--- include: account_of
--- include: credit_done
local b = load(bill_key)
local of, amount = 'tp:' .. ac .. ':' .. ARG.payment, tonumber(ARG.amount)
local payment = load(payment_key(payment_sid(of)))
local function done()
    local m = money_read()
    return {'OK', m.balance - m.used}
end
if payment then
    by = nil
    return payment[PAYMENT.amount] == amount and done()
        or {'OTHER', string.format('%.2f', payment[PAYMENT.amount] / 1e6)}
elseif money_read().balance + amount > balance_most then
    return {'LIMIT'}
end
local now = now_ms()
local py = payment_open('topup', of, amount, now, 0, 0)
credit_done(a, b, load(payment_key(py)), ARG.reference, now)
return done()
