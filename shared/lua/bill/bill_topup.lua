-- Books money that an account has paid in advance, for checks.  The same
-- payment is booked once.
--- key: acct  acct:<AC>
--- arg: once  random text, which makes it the same without a reference
--- arg: amount  micro-USD
--- arg: reference  of the operator's books
--- audit
--- reply: OK balance#  what is left of it (micro-USD)
--- reply: ACCOUNT  there is none
--- reply: OTHER amount  that reference was booked with another amount (USD)
--- reply: USED amount  something else was booked by that reference (USD)
--- reply: LIMIT  the balance would be too large
--- include: account_of
--- include: credit_done
local b = load(bill_key)
local once = ARG.reference ~= '' and ARG.reference or ARG.once
local of, amount = 'tp:' .. ac .. ':' .. once, tonumber(ARG.amount)
local payment = payment_load(payment_sid(of))
local _, used = booked(ARG.reference, of, amount)
local function done()
    local m = money_read()
    return {'OK', m.balance - m.used}
end
if payment then
    by = nil
    return payment[PAYMENT.amount] == amount and done()
        or {'OTHER', string.format('%.2f', payment[PAYMENT.amount] / 1e6)}
elseif used then
    return used
elseif money_read().balance + amount > balance_most then
    return {'LIMIT'}
end
local now = now_ms()
local py = payment_open(nil, 'topup', of, amount, now, 0, 0)
credit_done(a, b, payment_load(py), ARG.reference, now)
return done()
