-- Ends the bill of an account, which gets a plan without a price.  The ledger,
-- the payments, the balance and the payment sources stay.
--- key: acct  acct:<AC>
--- arg: plan
--- arg: paid
--- arg: hosts  how many at most
--- arg: contacts  how many at most
--- arg: checks  how many a day at most
--- arg: shortest  interval (s)
--- arg: now  1: also while something is paid, which is lost then; or ""
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- reply: BILL  it has none
--- reply: BUSY state  of a payment that is under way
--- reply: PAID ends# left#  the period is paid until then (ms); the balance
--          (micro-USD)
--- include: plan
--- include: credit
--- include: lapse
local a, b = load(KEY.acct), load(bill_key)
if not a then
    return {'ACCOUNT'}
elseif not b then
    return {'BILL'}
end
named = b[BILL.plan]
local now, by_check = now_ms(), b[BILL.period] == 'check'
local p = b[BILL.open] ~= '' and load(payment_key(b[BILL.open]))
if p and p[PAYMENT.state] ~= 'open' and p[PAYMENT.state] ~= 'failed' then
    return {'BUSY', p[PAYMENT.state]}
end
local m = money_read()
local ends, left = by_check and 0 or b[BILL.ends], m.balance - m.used
if ARG.now ~= '1' and (ends > now or left > 0) then
    return {'PAID', ends > now and ends or 0, math.max(left, 0)}
end
if p then
    payment_void(b, p, 'plan ended', now)
end
if by_check then
    credit_book(m, now)
end
call('DEL', bill_key, terms_key, key('meter', ac), key('setup', ac))
call('ZREM', key('billdue'), ac)
call('ZREM', key('paydue'), ac)
plan_set(a, ARG.plan, ARG.paid, ARG.hosts, ARG.contacts, ARG.checks,
    ARG.shortest)
account_save(a)
lapse_follow(a, false, 0, now)
return {'OK'}
