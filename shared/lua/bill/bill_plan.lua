-- Puts an account on a plan that it pays for, by the period or by the check.
-- The first period begins when it is paid, like all others.  A running one goes
-- on at the new plan; the next payment is of the new price, and so is one that
-- is open and was not sent.  From one kind to the other the plan changes at
-- once, and what is open is void.
--- key: acct  acct:<AC>
--- arg: gateway
--- arg: plan
--- arg: price  of a period, or a check (micro-USD)
--- arg: period  month, year, check
--- arg: paid
--- arg: hosts  how many at most
--- arg: contacts  how many at most
--- arg: checks  how many a day at most
--- arg: shortest  interval (s)
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- reply: PAYING state  of a payment that is under way
--- include: account_of
--- include: plan
--- include: credit
--- include: lapse
local b, now = load(bill_key), now_ms()
local by_check, other = ARG.period == 'check', nil
if b and by_check ~= (b[BILL.period] == 'check') then
    local p = b[BILL.open] ~= '' and load(payment_key(b[BILL.open]))
    if p and p[PAYMENT.state] ~= 'open' and p[PAYMENT.state] ~= 'failed' then
        return {'PAYING', p[PAYMENT.state]}
    elseif p then
        payment_void(b, p, 'plan changed', now)
    end
    credit_book(money_read(), now)
    call('DEL', key('meter', ac))
    other = true
end
-- A plan that has lapsed goes on when what is open is paid (_bill_done.lua).
if not b or other or b[BILL.state] == 'lapsed' and b[BILL.open] == ''
    and not by_check
then
    local _, _, day = date_of(math.floor(now / day_ms))
    local was, from = b or {}, now
    -- A payment has its name from this time.
    if b and b[BILL.begins] >= now and b[BILL.begins] < now + 1000 then
        from = b[BILL.begins] + 1
    end
    -- The balance decides whether a plan by the check goes on.
    b = {1, ac, '', '', 0, '', day, from, by_check and 0 or from,
        by_check and was[BILL.state] == 'lapsed' and 'lapsed' or 'active', '',
        0}
    for i = #b + 1, #was do
        b[i] = was[i]
    end
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
if b[BILL.state] ~= 'lapsed' then
    lapse_follow(a, b, false, 0, now)
end
return {'OK'}
