-- Puts an account on a plan that it pays for, by the period.  The first period
-- begins when it is paid, like all others.  A running one goes on at the new
-- plan; the next payment is of the new price, and so is one that is open and
-- was not sent.
--- key: acct  acct:<AC>
--- arg: gateway
--- arg: plan
--- arg: price  of a period (micro-USD)
--- arg: period  month, year
--- arg: paid
--- arg: hosts  how many at most
--- arg: contacts  how many at most
--- arg: checks  how many a day at most
--- arg: shortest  interval (s)
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- include: plan
--- include: bill
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
named = a[ACCOUNT.name]
local b, now = load(bill_key), now_ms()
-- A plan that has lapsed goes on when what is open is paid (_bill_done.lua).
if not b or b[BILL.state] == 'lapsed' and b[BILL.open] == '' then
    local _, _, day = date_of(math.floor(now / day_ms))
    b = {1, ac, '', '', 0, '', day, now, now, 'active', '', 0}
end
b[BILL.gateway], b[BILL.plan] = ARG.gateway, ARG.plan
b[BILL.price], b[BILL.period] = tonumber(ARG.price), ARG.period
local payment = b[BILL.open] ~= '' and load(payment_key(b[BILL.open]))
if payment and payment[PAYMENT.kind] == 'renewal'
    and (payment[PAYMENT.sent] or 0) == 0
then
    payment_priced(b, payment)
    save(payment_key(b[BILL.open]), payment)
end
plan_set(a, ARG.plan, ARG.paid, ARG.hosts, ARG.contacts, ARG.checks,
    ARG.shortest)
account_save(a)
bill_save(b)
return {'OK'}
