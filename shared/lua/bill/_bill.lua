-- The bill of an account, the meter of one that pays by the check, and when the
-- bill is to be looked at next.
--
-- The scripts that finish checks add the price to "used" (_charge.lua).  They
-- read the price with the mark from "meter": above that much use a daemon has
-- to look at the bill.  So price and mark are always those of the bill,
-- whatever a daemon may have read before; and other accounts pay only for one
-- more key in a read that is there anyway.  While the plan has lapsed the price
-- is 0: the hosts that the operator still checks cost nothing.
--- include: account
--- include: period
--- include: terms
--- include: unpaid
--- include: payment_sid
local money_key = key('money', ac)
local money_fields = {'balance', 'used', 'day', 'uses', 'alerts', 'alerted',
    'seq', 'runs', 'last', 'fails', 'falls', 'to'}
local function money_read()
    local m = {}
    for i, value in ipairs(call('HMGET', money_key, unpack(money_fields))) do
        m[money_fields[i]] = tonumber(value or 0)
    end
    return m
end
local function money_set(m, ...)
    for _, field in ipairs({...}) do
        call('HSET', money_key, field, string.format('%.0f', m[field]))
    end
end
local function meter_save(b)
    local m, mark = money_read(), 999999999999999
    if b[BILL.state] == 'lapsed' then
        call('SET', key('meter', ac), struct.pack('>d', mark) .. '0')
        return
    end
    for _, least in ipairs({1, terms[TERMS.alert],
        terms[TERMS.recharge_to] > 0 and terms[TERMS.falls_below] or 1})
    do
        local at = m.balance - least
        if at >= m.used and least > 0 then
            mark = math.min(mark, at)
        end
    end
    call('SET', key('meter', ac), struct.pack('>d', mark)
        .. string.format('%.0f', b[BILL.price]))
end
-- After the end of the day (UTC): each account at a time of its own within an
-- hour.
local function day_next(now)
    return (math.floor(now / day_ms) + 1) * day_ms
        + tonumber(ac:sub(-6), 16) % 3600 * 1000
end
-- When a daemon has to look at a bill by the check (ms): after the end of the
-- day, or when a recharge may be opened or has failed.
local recharge_pause = 600000           -- after one that was paid
local function meter_next(b)
    local now, m = now_ms(), money_read()
    local at = day_next(now)
    local p = b[BILL.open] ~= '' and load(key('pay', ac, b[BILL.open]))
    if p and b[BILL.gateway] == 'manual' then
        at = math.min(at, p[PAYMENT.created] + day_ms)
    elseif p then
        at = math.min(at, now + day_ms / 24)
    elseif now < m.last + recharge_pause and terms[TERMS.recharge_to] > 0
        and m.balance - m.used < terms[TERMS.falls_below]
    then
        at = math.min(at, m.last + recharge_pause)
    end
    return at
end
local bill_key = key('bill', ac)
local renew_lead = 7 * day_ms           -- from payment to end of the period
-- So many days before its end the end of a plan that is not renewed is
-- announced.
local bill_reminders = {14, 7, 1}
local function payment_key(py)
    return key('pay', ac, py)
end
-- Puts it into the index of a state, and out of all others.
local function payment_waits(p, state)
    local member = ac .. ':' .. p[PAYMENT.id]
    for _, of in ipairs(payment_states) do
        if of == state then
            call('ZADD', key('unpaid', of), tostring(p[PAYMENT.created]),
                member)
        else
            call('ZREM', key('unpaid', of), member)
        end
    end
end
local function payment_save(p)
    save(payment_key(p[PAYMENT.id]), p)
    payment_waits(p, payment_state(p))
end
-- Opens a payment, also one that is void; returns its SID.  Attempts keep
-- their numbers, for a gateway knows them.  b: the bill, or nil.
local function payment_open(b, kind, of, amount, now, begins, ends)
    local py = payment_sid(of)
    local was = load(payment_key(py))
    payment_save({1, py, kind, of, amount, 'open',
        was and was[PAYMENT.attempt] or 0, '', '', now, 0, begins, ends,
        '', '', '', '', '', 0, 0, 0, 0, 0, b and b[BILL.plan] or '',
        b and b[BILL.gateway] or 'manual', 0, was and was[PAYMENT.told] or 0})
    call('ZADD', key('payments', ac), tostring(now), py)
    return py
end
local function payment_load(py)
    local p = py ~= '' and load(payment_key(py)) or nil
    for i = PAYMENT.source, p and PAYMENT.told or 0 do
        p[i] = p[i] or (i < PAYMENT.sent or i == PAYMENT.plan
            or i == PAYMENT.gateway) and '' or 0
    end
    return p
end
-- Whether it is paid in advance, and not for a plan.
local function for_balance(p)
    return p[PAYMENT.kind] == 'recharge' or p[PAYMENT.kind] == 'topup'
end
-- Whether the plan will renew itself: Stripe needs a source for that.
local function bill_renews(b)
    return terms[TERMS.renew] == 1 and (b[BILL.gateway] ~= 'stripe'
        or call('ZCARD', key('sources', ac)) > 0)
end
-- The last reminder that is due; 0: none.
local function bill_reminder(b, now)
    local due = 0
    for _, days in ipairs(bill_reminders) do
        if now >= b[BILL.ends] - days * day_ms then
            due = days
        end
    end
    return due
end
-- The plan to which the account changes later, or nil.
local function bill_change(b)
    return (b[BILL.change] or '') ~= '' and cmsgpack.unpack(b[BILL.change])
        or nil
end
-- When a bill by the period has to be looked at (ms), without its change.
local function period_next(b)
    local ends = b[BILL.ends]
    if bill_renews(b) then
        local lead = ends - renew_lead
        return (b[BILL.open] == '' or now_ms() < lead) and lead or ends
    end
    for _, days in ipairs(bill_reminders) do
        if b[BILL.told] == 0 or days < b[BILL.told] then
            return ends - days * day_ms
        end
    end
    return ends
end
-- When the daemon has to look at it (ms); nil: only after a change.
local function bill_next(b, grace)
    local c = bill_change(b)
    if b[BILL.period] == 'check' then
        return meter_next(b)
    elseif b[BILL.state] == 'lapsed' then
        return nil
    elseif b[BILL.state] == 'grace' then
        return b[BILL.ends] + grace
    end
    return math.min(period_next(b), c and c[CHANGE.at] > 0 and c[CHANGE.at]
        or b[BILL.ends])
end
-- The plan that a payment is for, unless the account has it already.
local function change_of(b, payment)
    local c = bill_change(b)
    return c and (c[CHANGE.payment] == payment[PAYMENT.id]
        or payment[PAYMENT.kind] == 'renewal' and c[CHANGE.at] > 0
        and c[CHANGE.at] <= payment[PAYMENT.begins]) and c or nil
end
-- A payment of a period is of the plan and its price, until it is sent.
local function payment_priced(b, payment)
    local c = change_of(b, payment)
    payment[PAYMENT.amount] = c and c[CHANGE.price] or b[BILL.price]
    payment[PAYMENT.plan] = c and c[CHANGE.plan] or b[BILL.plan]
    payment[PAYMENT.gateway] = b[BILL.gateway]
    payment[PAYMENT.ends] = period_end(payment[PAYMENT.begins],
        c and c[CHANGE.period] or b[BILL.period], b[BILL.anchor])
end
-- A daemon looks each day: a time further away was written while the clock was
-- ahead (check_ahead.lua).
local function bill_turn(index, at)
    call('ZADD', key(index), tostring(math.min(at, now_ms() + day_ms)), ac)
end
-- Without `grace`, which only daemons know, a daemon looks at the bill at once.
local function bill_save(b, grace)
    b[BILL.stops] = grace and b[BILL.ends] + grace or b[BILL.stops] or 0
    b[BILL.customer], b[BILL.change] = b[BILL.customer] or '',
        b[BILL.change] or ''
    save(bill_key, b)
    if b[BILL.period] == 'check' then
        meter_save(b)
    end
    local at = grace and bill_next(b, grace) or not grace and 0
    if at then
        bill_turn('billdue', at)
    else
        call('ZREM', key('billdue'), ac)
    end
end
