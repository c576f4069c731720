-- Changes the balance of an account: the operator gives, or takes back.
--- key: acct  acct:<AC>
--- arg: once  random text, which makes it the same without a reference
--- arg: amount  micro-USD; below 0: it is taken
--- arg: reason
--- arg: reference  of the operator's books, or ""
--- audit
--- reply: OK balance#  what is left of it (micro-USD)
--- reply: ACCOUNT  there is none
--- reply: USED amount  something else was booked by that reference (USD)
--- reply: LIMIT  the balance would be too large
--- include: account_of
--- include: credit_done
local b = load(bill_key)
local amount, m = tonumber(ARG.amount), money_read()
local once = ARG.reference ~= '' and ARG.reference or ARG.once
local of = (amount > 0 and 'ad:' or 'ta:') .. once
local done, used = booked(once, of, math.abs(amount))
if done then
    by = nil
elseif used then
    return used
elseif math.abs(m.balance + amount) > balance_most then
    return {'LIMIT'}
else
    ledger_add(of, amount > 0 and 'adjust' or 'credit',
        amount > 0 and 'credit' or 'adjust', math.abs(amount), ARG.reason,
        once)
end
if not done and b and b[BILL.period] == 'check' then
    credit_step(a, b, now_ms())
    bill_save(b)
end
m = money_read()
return {'OK', m.balance - m.used}
