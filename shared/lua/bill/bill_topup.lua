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
--- include: credit_done
local a, b = load(KEY.acct), load(bill_key)
if not a then
    return {'ACCOUNT'}
end
named = a[ACCOUNT.name]
local of, amount = 'tp:' .. ac .. ':' .. ARG.payment, tonumber(ARG.amount)
local py = 'PY' .. redis.sha1hex(of):sub(1, 32)
local payment = load(payment_key(py))
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
call('ZADD', key('payments', ac), tostring(now), py)
credit_done(a, b, {1, py, 'topup', of, amount, 'open', 0, '', '', now, 0, 0, 0},
    ARG.reference, now)
return done()
