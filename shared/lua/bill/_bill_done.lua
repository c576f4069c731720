-- The end of a payment that has succeeded.
--- include: bill_event
--- include: account_save
--- include: ledger
--- include: credit_done
--- include: change
--- include: lapse
-- What has arrived for a payment by the operator's word: `amount` (micro-USD)
-- if it is given.  The second value is a refusal.
local function arrived(payment, amount, reference)
    amount = tonumber(amount) or payment[PAYMENT.amount]
    local _, used = booked(reference, payment[PAYMENT.key], amount)
    return amount, used
        or money_read().balance + amount > balance_most and {'LIMIT'}
end
-- Ledger, period and event change together.
local function bill_done(a, b, payment, reference, now)
    local upgrade = payment[PAYMENT.kind] == 'upgrade'
    if payment[PAYMENT.kind] ~= 'renewal' and not upgrade then
        return credit_done(a, b, payment, reference, now)
    end
    change_due(a, b, now)
    local begins = payment[PAYMENT.begins]
    if b[BILL.state] == 'lapsed' and not upgrade then
        local _, _, day = date_of(math.floor(now / day_ms))
        begins, b[BILL.anchor] = now, day
        payment[PAYMENT.begins] = begins
        payment[PAYMENT.ends] = period_end(begins, b[BILL.period], day)
    end
    payment[PAYMENT.state], payment[PAYMENT.done] = 'succeeded', now
    payment[PAYMENT.reference], payment[PAYMENT.reason] = reference, ''
    payment_save(payment)
    ledger_add(payment[PAYMENT.key], 'cash', 'revenue', payment[PAYMENT.amount],
        payment[PAYMENT.id], reference)
    b[BILL.open] = ''
    if upgrade then
        local c = change_of(b, payment)
        if c then
            change_begin(a, b, c)
        end
    else
        b[BILL.begins], b[BILL.ends] = begins, payment[PAYMENT.ends]
        b[BILL.state], b[BILL.told] = 'active', 0
        lapse_follow(a, b, false, 0, now)
    end
    bill_save(b)
    bill_event(a, 'billing.renewal.success', payment[PAYMENT.id], now, b,
        payment)
end
