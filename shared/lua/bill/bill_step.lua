-- Updates the bill of an account to the current time.  A second run at the same
-- time changes nothing.
--- key: acct  acct:<AC>
--- arg: grace  ms
--- arg: kept  hosts that are checked though the plan has lapsed; -1: all
--- arg: clock  of the daemon (ms)
--- arg: gateway  of the daemon
--- reply: OK state opened  of the bill, "": there is none; a payment, or ""
--- reply: APART  the clocks differ
--- include: apart
--- include: bill_event
--- include: payment
--- include: credit
--- include: change
--- include: lapse
local b, a = load(bill_key), load(KEY.acct)
-- Payment sources that the account has removed (bill_source_gone.lua).  The
-- gateway is to forget them first (bill_send.lua).
local gone = key('setup', ac, 'gone')
for _, sid in ipairs(call('ZRANGE', gone, 0, -1)) do
    call('ZREM', key('sources', ac), sid)
    if b and b[BILL.gateway] == 'stripe' and ARG.gateway == 'stripe' then
        payment_wake()
    else
        call('DEL', key('source', ac, sid))
        call('ZREM', gone, sid)
    end
end
-- A payment that is lost is opened again, by the same name.
local waits = b and payment_load(b[BILL.open])
if b and (not waits or waits[PAYMENT.state] == 'succeeded'
    or waits[PAYMENT.state] == 'void')
then
    b[BILL.open] = ''
end
if not b or not a then
    call('ZREM', key('billdue'), ac)
    return {'OK', '', ''}
end
local now, grace = now_ms(), tonumber(ARG.grace)
if clocks_apart(ARG.clock, now) then
    return {'APART'}
end
-- A suspended account is charged nothing: its bill stands still until the
-- account is active again (account_status.lua).
if a[ACCOUNT.status] == 'suspended' then
    call('ZREM', key('billdue'), ac)
    return {'OK', b[BILL.state], ''}
end
-- A request to pay at once (_terms.lua).
local asked = (terms[TERMS.asked] or 0) ~= (b[BILL.asked] or 0)
b[BILL.asked] = terms[TERMS.asked]
if asked then
    local p = payment_load(b[BILL.open])
    local state = p and p[PAYMENT.state]
    if state == 'open' or state == 'failed' and p[PAYMENT.kind] ~= 'recharge'
    then
        p[PAYMENT.state], p[PAYMENT.next] = 'open', 0
        payment_save(p)
    end
end
if b[BILL.period] == 'check' then
    local opened = credit_step(a, b, now, true)
    if b[BILL.open] ~= '' and b[BILL.gateway] ~= 'manual' then
        payment_wake()
    end
    bill_save(b, grace)
    lapse_follow(a, b, b[BILL.state] == 'lapsed', tonumber(ARG.kept), now)
    return {'OK', b[BILL.state], opened or ''}
end
b[BILL.stops] = b[BILL.ends] + grace
-- A payment of the next period.  It is for the end of this one, so it is the
-- same payment, however often it is opened, also if it was void meanwhile.
local function open()
    local ends = b[BILL.ends]
    local of = string.format('rn:%s:%.0f', ac, ends)
    b[BILL.open] = payment_sid(of)
    local was = payment_load(b[BILL.open])
    if not was or was[PAYMENT.state] == 'void' then
        payment_open(b, 'renewal', of, 0, now, ends, 0)
        local p = payment_load(b[BILL.open])
        payment_priced(b, p)
        payment_save(p)
        bill_due(a, b, p, now)
    end
    return b[BILL.open]
end
local function remind()
    local days = bill_reminder(b, now)
    if days > 0 and (b[BILL.told] == 0 or days < b[BILL.told]) then
        b[BILL.told] = days
        bill_event(a, b, 'expiring.plan.alert', string.format('%s:%.0f:%d', ac,
            b[BILL.ends], days), now, {days = days})
    end
end
-- The period is over, or the grace, and the next one is not paid: that is told
-- once, unless an attempt was.
local function unpaid()
    local p = terms[TERMS.renew] == 1 and payment_load(b[BILL.open])
    if p and p[PAYMENT.kind] == 'renewal' and p[PAYMENT.attempt] == 0
        and p[PAYMENT.reason] == ''
    then
        local reason = p[PAYMENT.state]
        p[PAYMENT.reason] = reason == 'open' and 'unpaid' or reason
        payment_save(p)
        bill_event(a, b, 'billing.renewal.failed', b[BILL.open] .. ':'
            .. p[PAYMENT.reason], now,
            {payment = p, reason = p[PAYMENT.reason]})
    end
end
-- Until when an attempt may come first (ms): it should have been made before,
-- while no daemon ran or the account was suspended; or nil.
local attempt_time = 600000
local function attempt_until()
    local p = now >= b[BILL.ends] and b[BILL.gateway] ~= 'manual'
        and bill_renews(b) and payment_load(b[BILL.open])
    if not p or p[PAYMENT.kind] ~= 'renewal' or p[PAYMENT.state] ~= 'open' then
        return nil
    end
    local at = math.max(p[PAYMENT.created], p[PAYMENT.next])
    if now > at + 6 * attempt_time then
        at, p[PAYMENT.next] = now, now
        payment_save(p)
    end
    return at <= now and now < at + attempt_time and at + attempt_time or nil
end
-- The end of the period, and of the grace; returns until when that waits for an
-- attempt (ms), or nil.
local function period_over(opened)
    local first, paid = attempt_until(), b[BILL.begins] < b[BILL.ends]
    if b[BILL.state] == 'active' and now >= b[BILL.ends] then
        if first and paid then
            return first
        end
        b[BILL.state] = 'grace'
        if paid and not opened then
            unpaid()
        end
    elseif b[BILL.state] == 'active' and not bill_renews(b) then
        remind()
    end
    if b[BILL.state] == 'grace' and now >= b[BILL.ends] + grace then
        if first then
            return first
        end
        b[BILL.state] = 'lapsed'
        unpaid()
    end
end
-- A plan that does not renew itself owes nothing for its next period.
local function renewal_off(p)
    if terms[TERMS.renew] == 0 and p and p[PAYMENT.kind] == 'renewal'
        and b[BILL.begins] < b[BILL.ends]
        and (p[PAYMENT.state] == 'open' or p[PAYMENT.state] == 'failed')
    then
        payment_void(b, p, 'renewal is off', now)
    end
end
-- A dearer plan that is not paid when the next period is opened begins with
-- that period.
local p = payment_load(b[BILL.open])
if p and p[PAYMENT.kind] == 'upgrade' and now >= b[BILL.ends] - renew_lead
    and (p[PAYMENT.state] == 'open' or p[PAYMENT.state] == 'failed')
then
    local c = change_of(b, p)
    payment_void(b, p, 'unpaid', now)
    if c then
        c[CHANGE.at], c[CHANGE.payment] = b[BILL.ends], ''
        b[BILL.change] = cmsgpack.pack(c)
    end
end
change_due(a, b, now)
renewal_off(p)
local opened
if terms[TERMS.renew] == 1 and b[BILL.open] == ''
    and now >= b[BILL.ends] - renew_lead
    and (asked or b[BILL.state] ~= 'lapsed')
then
    opened = open()
end
local waits = period_over(opened)
if b[BILL.open] ~= '' and b[BILL.gateway] ~= 'manual' then
    payment_wake()
end
bill_save(b, grace)
if waits then
    bill_turn('billdue', waits)
end
lapse_follow(a, b, b[BILL.state] == 'lapsed', tonumber(ARG.kept), now)
return {'OK', b[BILL.state], opened or ''}
