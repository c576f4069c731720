-- The balance of an account that pays by the check: usage is booked, the
-- account is told that the balance is low, the balance is recharged, and the
-- plan lapses without one.
--- include: bill_event
--- include: ledger
local recharge_most = 5                 -- a day
local recharge_fails = 3                -- in a row: no more
-- Books what was used, as of the day of the last look: on a new day it is the
-- use of the day before.
local function credit_book(m, now)
    if m.used <= 0 then
        return
    end
    local date = string.format('%04d-%02d-%02d',
        date_of(m.day > 0 and m.day or math.floor(now / day_ms)))
    m.uses = m.uses + 1
    ledger_add(string.format('use:%s:%.0f', date, m.uses), 'credit', 'revenue',
        m.used, date, '')
    call('HINCRBY', money_key, 'used', string.format('%.0f', -m.used))
    m.balance, m.used = m.balance - m.used, 0
    money_set(m, 'uses')
end
local function payment_void(b, p, reason, now)
    p[PAYMENT.state], p[PAYMENT.done], p[PAYMENT.reason] = 'void', now, reason
    payment_save(p)
    b[BILL.open] = ''
end
-- No other recharge is opened until the account turns them on again.
local function recharge_off(a, b, m, now)
    bill_event(a, b, 'recharge', string.format('%s:%.0f', ac, now), now,
        {money = m, total = m.fails})
    terms[TERMS.recharge_to], m.fails = 0, 0
    save(terms_key, terms)
    money_set(m, 'fails')
end
-- Looks at the payment that is open.  A recharge by hand has a day, and so has
-- a top-up whose card is missing; a gateway makes its attempts itself.
local function recharge_look(a, b, m, left, now)
    local p = payment_load(b[BILL.open])
    local state = p and p[PAYMENT.state]
    if not p or p[PAYMENT.kind] ~= 'recharge' then
        if p and state == 'open' and now >= p[PAYMENT.created] + day_ms then
            payment_void(b, p, 'unpaid', now)
        end
        return
    end
    if state == 'failed' then
        b[BILL.open] = ''
        payment_waits(p)
        m.fails = terms[TERMS.recharge_to] > 0 and m.fails + 1 or 0
    elseif state == 'open' and (terms[TERMS.recharge_to] == 0
        or left >= terms[TERMS.falls_below])
    then
        payment_void(b, p, 'not needed', now)
    elseif state == 'open' and b[BILL.gateway] == 'manual'
        and now >= p[PAYMENT.created] + day_ms
    then
        m.fails, p[PAYMENT.attempt] = m.fails + 1, 1
        payment_void(b, p, 'unpaid', now)
        bill_event(a, b, 'billing.recharge.failed', p[PAYMENT.id] .. ':1', now,
            {payment = p, reason = 'unpaid', money = m})
    end
    money_set(m, 'fails')
    if m.fails >= recharge_fails then
        recharge_off(a, b, m, now)
    end
end
-- The limit of a day is reached; that is told once, for the checks stop if the
-- balance is used up before the next day.
local function recharge_limit(a, b, m, now)
    if m.runs > recharge_most then
        return
    end
    m.runs, m.falls, m.to = m.runs + 1, terms[TERMS.falls_below],
        terms[TERMS.recharge_to]
    money_set(m, 'runs', 'falls', 'to')
    bill_event(a, b, 'billing.recharge.failed', string.format('%s:%.0f:limit',
        ac, m.day), now, {reason = 'limit', next = day_next(now), money = m})
end
-- Opens the payment that the account wants once (bill_wish.lua).  What cannot
-- be opened is wanted no more: nobody expects it later.
local function wish_open(b, now)
    local once, amount = terms[TERMS.once] or '', terms[TERMS.topup]
    if once == '' then
        return
    end
    local late = now > terms[TERMS.wanted] + day_ms / 24
    terms[TERMS.once], terms[TERMS.topup] = '', 0
    save(terms_key, terms)
    local of = 'tu:' .. ac .. ':' .. once
    if b[BILL.open] == '' and not late and not payment_load(payment_sid(of))
    then
        b[BILL.open] = payment_open(b, 'topup', of, amount, now, 0, 0)
        return b[BILL.open]
    end
end
-- Opens a recharge, unless there were too many.  Its SID is made of its number.
local function recharge_open(a, b, m, left, now)
    local to = terms[TERMS.recharge_to]
    if to == 0 or left >= terms[TERMS.falls_below] or b[BILL.open] ~= '' then
        return
    elseif m.runs >= recharge_most then
        return recharge_limit(a, b, m, now)
    elseif now < m.last + recharge_pause and now >= m.last then
        return
    end
    m.seq, m.runs = m.seq + 1, m.runs + 1
    m.falls, m.to = terms[TERMS.falls_below], to
    money_set(m, 'seq', 'runs', 'falls', 'to')
    b[BILL.open] = payment_open(b, 'recharge', string.format('rc:%s:%.0f',
        ac, m.seq), recharge_amount(left, to), now, 0, 0)
    return b[BILL.open]
end
-- Once for each time that the balance falls below.
local function credit_alert(a, b, m, left, now)
    local least = terms[TERMS.alert]
    local low = least > 0 and left < least and 1 or 0
    if low == m.alerted then
        return
    end
    m.alerted = low
    if low == 1 then
        m.alerts = m.alerts + 1
        bill_event(a, b, 'billing.balance.alert', string.format('%s:%.0f', ac,
            m.alerts), now, {money = m})
    end
    money_set(m, 'alerts', 'alerted')
end
-- Returns the payment that was opened.  The use is booked once a day, and when
-- something else happens to the balance.  lapses: the plan may lapse, for its
-- account follows (_lapse.lua); else it waits for the daemon, which knows how.
local function credit_step(a, b, now, lapses)
    local m, day = money_read(), math.floor(now / day_ms)
    local left, alerts, state = m.balance - m.used, m.alerts, b[BILL.state]
    local new_day = day ~= m.day
    if new_day then
        m.runs = 0
    end
    recharge_look(a, b, m, left, now)
    credit_alert(a, b, m, left, now)
    local opened = wish_open(b, now) or recharge_open(a, b, m, left, now)
    bill_due(a, b, payment_load(b[BILL.open]), now, m)
    b[BILL.state] = left > 0 and 'active' or lapses and 'lapsed' or state
    if new_day or opened or m.alerts ~= alerts or b[BILL.state] ~= state then
        credit_book(m, now)
    end
    if new_day then
        m.day = day
        money_set(m, 'day', 'runs')
    end
    return opened
end
