-- Changes the balance of an account: the operator gives, or takes back.
--- key: acct  acct:<AC>
--- arg: of  random text: the same change is made once
--- arg: amount  micro-USD; below 0: it is taken
--- arg: reason
--- audit
--- reply: OK balance#  what is left of it (micro-USD)
--- reply: ACCOUNT  there is none
--- reply: LIMIT  the balance would be too large
--- include: account_of
--- include: credit_done
local b = load(bill_key)
local amount, m = tonumber(ARG.amount), money_read()
if math.abs(m.balance + amount) > balance_most then
    return {'LIMIT'}
end
ledger_add('ad:' .. ARG.of, amount > 0 and 'adjust' or 'credit',
    amount > 0 and 'credit' or 'adjust', math.abs(amount), ARG.reason)
if b and b[BILL.period] == 'check' then
    credit_step(a, b, now_ms())
    bill_save(b)
end
m = money_read()
return {'OK', m.balance - m.used}
