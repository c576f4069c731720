-- What an account that pays by the check has left, and its meter.
--
-- The scripts that finish checks add the price to "used" (_charge.lua).  They
-- read the price with the mark from "meter": above that much use a daemon has
-- to look at the bill.  So price and mark are always those of the bill,
-- whatever a daemon may have read before; and other accounts pay only for one
-- more key in a read that is there anyway.  While the plan has lapsed the price
-- is 0: the hosts that the operator still checks cost nothing.
--- include: account
--- include: terms
--- include: period
--- use: bill payment
local money_key = key('money', ac)
local money_fields = {'balance', 'used', 'day', 'uses', 'alerts', 'alerted',
    'seq', 'runs', 'sum', 'last', 'fails', 'falls', 'to'}
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
        call('SET', key('meter', ac), string.format('%016.0f0', mark))
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
    call('SET', key('meter', ac), string.format('%016.0f%.0f', mark,
        b[BILL.price]))
end
-- When a daemon has to look at a bill by the check (ms): after the end of the
-- day (UTC), each account at a time of its own within an hour, or when a
-- recharge may be opened or has failed.
local recharge_pause = 600000           -- after one that was paid
local function meter_next(b)
    local now, m = now_ms(), money_read()
    local at = (math.floor(now / day_ms) + 1) * day_ms
        + tonumber(ac:sub(-6), 16) % 3600 * 1000
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
