-- Changes the balance of an account: the operator books money that it has paid
-- in advance, or he gives, or takes back.  The same change is booked once.
--- key: acct  acct:<AC>
--- arg: once  random text, which makes it the same without a reference
--- arg: what  topup: paid in advance, which is a payment; adjust
--- arg: amount  micro-USD; below 0: it is taken
--- arg: reason  of adjust
--- arg: reference  of the operator's books, or ""
--- audit
--- reply: OK balance#  what is left of it (micro-USD)
--- reply: ACCOUNT  there is none
--- reply: USED amount  something else was booked by that reference (USD)
--- reply: LIMIT  the balance would be too large
--- include: account_of
--- include: credit_done
local b, now = load(bill_key), now_ms()
local once = ARG.reference ~= '' and ARG.reference or ARG.once
local amount, m = tonumber(ARG.amount), money_read()
local topup, size = ARG.what == 'topup', math.abs(amount)
local of = topup and 'tp:' .. ac .. ':' .. once
    or (amount > 0 and 'ad:' or 'ta:') .. once
local payment = topup and payment_load(payment_sid(of))
local done, used = booked(topup and ARG.reference or once, of, size)
if used then
    return used
elseif payment or done then
    by = nil
elseif math.abs(m.balance + amount) > balance_most then
    return {'LIMIT'}
elseif topup then
    local py = payment_open(nil, 'topup', of, amount, now, 0, 0)
    credit_done(a, b, payment_load(py), ARG.reference, now)
else
    ledger_add(of, amount > 0 and 'adjust' or 'credit',
        amount > 0 and 'credit' or 'adjust', size, ARG.reason, once)
    if b and b[BILL.period] == 'check' then
        credit_step(a, b, now)
        bill_save(b)
    end
end
m = money_read()
return {'OK', m.balance - m.used}
