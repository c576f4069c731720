-- Updates the bill of an account to the current time.  A second run at the same
-- time changes nothing.
--- key: acct  acct:<AC>
--- arg: grace  ms
--- arg: kept  hosts that are checked though the plan has lapsed; -1: all
--- arg: clock  of the daemon (ms)
--- reply: OK state opened  of the bill, "": there is none; a payment, or ""
--- reply: APART  the clocks differ
--- include: apart
--- include: bill_event
--- include: payment
--- include: credit
--- include: lapse
-- Payment sources that the account has removed (bill_source_gone.lua).
local gone = key('setup', ac, 'gone')
for _, sid in ipairs(call('ZRANGE', gone, 0, -1)) do
    call('ZREM', key('sources', ac), sid)
    call('DEL', key('source', ac, sid), gone)
end
local b, a = load(bill_key), load(KEY.acct)
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
if b[BILL.period] == 'check' then
    local opened = credit_step(a, b, now)
    if b[BILL.open] ~= '' and b[BILL.gateway] ~= 'manual' then
        payment_wake()
    end
    bill_save(b, grace)
    lapse_follow(a, b, b[BILL.state] == 'lapsed', tonumber(ARG.kept), now)
    return {'OK', b[BILL.state], opened or ''}
end
b[BILL.stops] = b[BILL.ends] + grace
-- A payment of the next period.  It is for the end of this one, so it is the
-- same payment, however often it is opened.
local function open()
    local ends = b[BILL.ends]
    local of = string.format('rn:%s:%.0f', ac, ends)
    b[BILL.open] = payment_sid(of)
    if call('EXISTS', payment_key(b[BILL.open])) == 0 then
        payment_open('renewal', of, b[BILL.price], now, ends,
            period_end(ends, b[BILL.period], b[BILL.anchor]))
        if b[BILL.gateway] == 'manual' then
            bill_event(a, 'due', b[BILL.open], now, b,
                load(payment_key(b[BILL.open])))
        end
    end
    return b[BILL.open]
end
local function remind()
    local days = bill_reminder(b, now)
    if days > 0 and (b[BILL.told] == 0 or days < b[BILL.told]) then
        b[BILL.told] = days
        bill_event(a, 'expiring.plan.alert', string.format('%s:%.0f:%d', ac,
            b[BILL.ends], days), now, b, nil, nil, nil, nil, days)
    end
end
-- The period is over, and the next one is not paid.
local function expire()
    b[BILL.state] = 'grace'
    local payment = b[BILL.open] ~= '' and load(payment_key(b[BILL.open]))
    -- The attempts of a gateway are told one by one.
    if payment and b[BILL.begins] < b[BILL.ends]
        and b[BILL.gateway] == 'manual'
    then
        payment[PAYMENT.attempt], payment[PAYMENT.reason] = 1, 'unpaid'
        save(payment_key(b[BILL.open]), payment)
        bill_event(a, 'billing.renewal.failed', b[BILL.open] .. ':1', now, b,
            payment, 1, 'unpaid')
    end
end
local opened
if b[BILL.state] ~= 'lapsed' and terms[TERMS.renew] == 1 and b[BILL.open] == ''
    and now >= b[BILL.ends] - renew_lead
then
    opened = open()
end
if b[BILL.state] == 'active' and now >= b[BILL.ends] then
    expire()
elseif b[BILL.state] == 'active' and not bill_renews(b) then
    remind()
end
if b[BILL.state] == 'grace' and now >= b[BILL.ends] + grace then
    b[BILL.state] = 'lapsed'
end
if b[BILL.open] ~= '' and b[BILL.gateway] ~= 'manual' then
    payment_wake()
end
bill_save(b, grace)
lapse_follow(a, b, b[BILL.state] == 'lapsed', tonumber(ARG.kept), now)
return {'OK', b[BILL.state], opened or ''}
