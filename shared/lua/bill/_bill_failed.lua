-- An attempt of a payment has failed for sure: nothing was charged, and the
-- next attempt has a number of its own.
--- include: bill_event
--- include: credit
--- include: payment
local hour_ms = 3600000
-- Attempts of a renewal: days before the end of the paid period, and days after
-- it was opened if it was opened too late for these.
local tries_before = {7, 5, 3, 1}
local tries_after = {2, 4, 6}
local tries_recharge = {hour_ms, day_ms, 3 * day_ms}
-- When the next attempt is made (ms); 0: never.  One that the gateway has never
-- got is made again at once.
local function try_next(p, now)
    if p[PAYMENT.reason] == 'not_made' then
        return now
    elseif p[PAYMENT.kind] == 'topup' then
        return 0
    elseif p[PAYMENT.kind] ~= 'renewal' then
        local wait = tries_recharge[p[PAYMENT.attempt]]
        return wait and now + wait or 0
    end
    local made, ends = p[PAYMENT.created], p[PAYMENT.begins]
    for i, days in ipairs(made < ends - day_ms and tries_before or tries_after)
    do
        local at = made < ends - day_ms and ends - days * day_ms
            or made + days * day_ms
        if at > now then
            return at
        end
    end
    return 0
end
-- final: no attempt follows by that card; a recharge is off then.
local function bill_failed(a, b, p, reason, final, text, now)
    p[PAYMENT.attempt] = p[PAYMENT.attempt] + 1
    p[PAYMENT.sent], p[PAYMENT.tried], p[PAYMENT.late] = 0, 0, 0
    p[PAYMENT.reason], p[PAYMENT.text] = reason, text
    p[PAYMENT.reference], p[PAYMENT.url] = '', ''
    p[PAYMENT.next] = final and 0 or try_next(p, now)
    p[PAYMENT.state] = p[PAYMENT.next] > 0 and 'open' or 'failed'
    if p[PAYMENT.kind] == 'renewal' then
        payment_priced(b, p)
    end
    payment_save(p)
    local m, recharge = money_read(), p[PAYMENT.kind] == 'recharge'
    bill_event(a, b, not for_balance(p) and 'billing.renewal.failed'
        or recharge and 'billing.recharge.failed' or 'failed',
        p[PAYMENT.id] .. ':' .. p[PAYMENT.attempt], now,
        {payment = p, reason = reason, next = p[PAYMENT.next], money = m})
    if not for_balance(p) then
        return
    elseif recharge and final then
        m.fails = m.fails + 1
        recharge_off(a, b, m, now)
    elseif not recharge and p[PAYMENT.state] == 'failed' then
        b[BILL.open] = b[BILL.open] ~= p[PAYMENT.id] and b[BILL.open] or ''
        payment_waits(p)
    end
    bill_save(b)
end
