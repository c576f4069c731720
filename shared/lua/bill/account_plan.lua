-- Puts an account on a plan without a price.  The account keeps objects beyond
-- the plan's limits; the limits refuse new ones.  If its bill ends, the ledger,
-- the payments, the balance and the payment sources stay.
--- key: acct  acct:<AC>
--- arg: plan
--- arg: paid
--- arg: hosts  how many at most
--- arg: contacts  how many at most
--- arg: checks  how many a day at most
--- arg: shortest  interval (s)
--- arg: bill  "": it has none; end: it has one, which ends; now: also while
--          something is paid: what is left is in the balance then
--- audit
--- reply: OK hosts# contacts#  how many there are
--- reply: ACCOUNT  there is none
--- reply: BILL plan  it pays for a plan, and would go on paying for it
--- reply: FREE  it has no bill that could end
--- reply: PAYING state  of a payment that is under way
--- reply: PAID ends# left#  the period is paid until then (ms); the balance
--          (micro-USD)
--- reply: WAITS plan at#  the next period is paid, and its plan begins then
--- include: account_of
--- include: change
--- include: credit
--- include: lapse
local b, now = load(bill_key), now_ms()
if b and ARG.bill == '' then
    return {'BILL', b[BILL.plan]}
elseif not b and ARG.bill ~= '' then
    return {'FREE'}
end
if b then
    named = b[BILL.plan]
    local by_check = b[BILL.period] == 'check'
    local p = payment_load(b[BILL.open])
    if p and p[PAYMENT.state] ~= 'open' and p[PAYMENT.state] ~= 'failed' then
        return {'PAYING', p[PAYMENT.state]}
    end
    local m = money_read()
    local ends, left = paid_until(b, now), m.balance - m.used
    if ends > 0 and change_waits(b) then
        return change_waits(b)
    elseif ARG.bill ~= 'now' and (ends > 0 or left > 0) then
        return {'PAID', ends, math.max(left, 0)}
    end
    if p then
        payment_void(b, p, 'plan ended', now)
    end
    if by_check then
        credit_book(m, now)
    end
    rest_credit(b, now)
    call('DEL', bill_key, terms_key, key('meter', ac), key('setup', ac))
    call('ZREM', key('billdue'), ac)
    call('ZREM', key('paydue'), ac)
end
plan_set(a, ARG.plan, ARG.paid, ARG.hosts, ARG.contacts, ARG.checks,
    ARG.shortest)
account_save(a)
if b then
    lapse_follow(a, b, false, 0, now)
end
return {'OK', call('ZCARD', key('hosts', ac)),
    call('ZCARD', key('contacts', ac))}
