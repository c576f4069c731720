-- Puts an account on a plan that it pays for, by the period or by the check.
-- The first period begins now, and after a lapse when it is paid.  Inside a
-- period that is paid, a plan that costs more a day opens a payment of the
-- difference and begins when that is paid; a cheaper one begins at the end
-- (_change.lua), as does any plan that comes after the payment of the next
-- period was opened.
-- Otherwise the plan begins at once, and a payment that is open and was not
-- sent is of its price.  From one kind to the other the plan changes at once,
-- what is open is void, and the rest of the period is credited.  So does a plan
-- without a price, which ends the bill: the ledger, the payments, the balance
-- and the payment sources stay.
--- key: acct  acct:<AC>
--- arg: gateway
--- arg: plan
--- arg: price  of a period, or a check (micro-USD)
--- arg: period  month, year, check; "": the plan has no price
--- arg: paid
--- arg: hosts  how many at most
--- arg: contacts  how many at most
--- arg: checks  how many a day at most
--- arg: shortest  interval (s)
--- arg: now  1: to the other kind also while something is paid; or ""
--- audit
--- reply: OK
--- reply: UPGRADE payment amount#  the plan begins when that is paid
--- reply: LATER at#  the plan begins then (ms)
--- reply: ACCOUNT  there is none
--- reply: FREE  it has no bill that could end
--- reply: PAYING state  of a payment that is under way
--- reply: PAID ends# left#  the period is paid until then (ms), or there is a
--          balance (micro-USD) that the plan cannot use
--- reply: WAITS plan at#  the next period is paid, and its plan begins then
--- include: account_of
--- include: change
--- include: lapse
--- include: payment
--- include: source
local b, now = load(bill_key), now_ms()
local by_check, free = ARG.period == 'check', ARG.period == ''
local other = b and (free or by_check ~= (b[BILL.period] == 'check'))
local ends = b and paid_until(b, now) or 0
local p = b and payment_load(b[BILL.open])
if free and not b then
    return {'FREE'}
elseif b and change_refused(b, p, now) then
    return change_refused(b, p, now)
elseif other and ARG.now ~= '1' then
    local m = money_read()
    local left = by_check and 0 or math.max(m.balance - m.used, 0)
    if ends > 0 or left > 0 then
        return {'PAID', ends, left}
    end
end
local new = {1, ARG.plan, tonumber(ARG.price), ARG.period, tonumber(ARG.paid),
    tonumber(ARG.hosts), tonumber(ARG.contacts), tonumber(ARG.checks),
    tonumber(ARG.shortest), 0, ''}
if free then
    named = b[BILL.plan]
    plan_leave(b, p, 'plan ended', now)
    call('DEL', bill_key, terms_key, key('setup', ac))
    call('ZREM', key('billdue'), ac)
    call('ZREM', key('paydue'), ac)
    change_begin(a, b, new)
    lapse_follow(a, b, false, 0, now)
    return {'OK'}
end
local opens = false
-- Inside a period that is paid: when the plan begins; nil: at once.
local function inside()
    local c = bill_change(b)
    local more = rest_price(b, new[CHANGE.price], ARG.period, now)
        - rest_price(b, b[BILL.price], b[BILL.period], now)
    local same = c and c[CHANGE.price] == new[CHANGE.price]
        and c[CHANGE.period] == ARG.period
    if p and p[PAYMENT.kind] == 'upgrade' then
        -- The same again is a new attempt.
        if same then
            new[CHANGE.payment] = p[PAYMENT.id]
            p[PAYMENT.state], p[PAYMENT.next] = 'open', 0
            payment_save(p)
            return {'UPGRADE', p[PAYMENT.id], p[PAYMENT.amount]}
        end
        payment_void(b, p, 'plan changed', now)
        p = nil
    end
    if more == 0 then
        return nil
    elseif more > 0 and not p and now < ends - renew_lead then
        local amount = math.max(recharge_least, math.ceil(more / cent) * cent)
        b[BILL.open] = payment_open(b, 'upgrade', string.format(
            'up:%s:%.0f:%s:%s', ac, ends, ARG.period, ARG.price), amount, now,
            now, ends)
        new[CHANGE.payment], opens = b[BILL.open], true
        return {'UPGRADE', b[BILL.open], amount}
    end
    new[CHANGE.at] = ends
    return {'LATER', ends}
end
-- The first period, or the first one after the plan has lapsed.
local function begin()
    local _, _, day = date_of(math.floor(now / day_ms))
    local was, from = b or {}, now
    -- A payment has its name from this time.
    if b and b[BILL.begins] >= now and b[BILL.begins] < now + 1000 then
        from = b[BILL.begins] + 1
    end
    -- The balance decides whether a plan by the check goes on.
    b = {1, ac, '', '', 0, '', day, from, by_check and 0 or from,
        by_check and was[BILL.state] == 'lapsed' and 'lapsed' or 'active', '',
        0, was[BILL.stops] or 0, was[BILL.customer] or '', '',
        was[BILL.asked]}
end
local said
if other then
    plan_leave(b, p, 'plan changed', now)
elseif b then
    change_due(a, b, now)
    said = ends > 0 and inside() or nil
end
-- A plan that has lapsed goes on when what is open is paid (_bill_done.lua).
if not b or other or b[BILL.state] == 'lapsed' and b[BILL.open] == ''
    and not by_check
then
    begin()
end
-- Another gateway does not know the card.
if b[BILL.gateway] == 'http' and ARG.gateway ~= 'http' then
    call('DEL', source_key(server_source))
    call('ZREM', key('sources', ac), server_source)
end
b[BILL.gateway] = ARG.gateway
if said then
    b[BILL.change] = cmsgpack.pack(new)
else
    change_begin(a, b, new)
end
p = payment_load(b[BILL.open])
if p and p[PAYMENT.kind] == 'renewal' then
    payment_priced(b, p)
elseif opens then
    p[PAYMENT.plan] = ARG.plan
end
if p then
    payment_save(p)
    bill_due(a, b, p, now)
end
if p and p[PAYMENT.kind] ~= 'renewal' and b[BILL.gateway] ~= 'manual' then
    payment_wake()
end
bill_save(b)
if b[BILL.state] ~= 'lapsed' then
    lapse_follow(a, b, false, 0, now)
end
return said or {'OK'}
