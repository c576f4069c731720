-- A payment has succeeded: ledger, period and event change together.
--- include: bill_event
--- include: account_save
--- include: ledger
--- include: credit_done
--- include: lapse
local function bill_done(a, b, payment, reference, now)
    if payment[PAYMENT.kind] ~= 'renewal' then
        return credit_done(a, b, payment, reference, now)
    end
    local begins = payment[PAYMENT.begins]
    if b[BILL.state] == 'lapsed' then
        local _, _, day = date_of(math.floor(now / day_ms))
        begins, b[BILL.anchor] = now, day
        payment[PAYMENT.begins] = begins
        payment[PAYMENT.ends] = period_end(begins, b[BILL.period], day)
    end
    payment[PAYMENT.state], payment[PAYMENT.done] = 'succeeded', now
    payment[PAYMENT.reference], payment[PAYMENT.reason] = reference, ''
    save(payment_key(payment[PAYMENT.id]), payment)
    ledger_add(payment[PAYMENT.key], 'cash', 'revenue', payment[PAYMENT.amount],
        payment[PAYMENT.id])
    b[BILL.begins], b[BILL.ends] = begins, payment[PAYMENT.ends]
    b[BILL.state], b[BILL.open], b[BILL.told] = 'active', '', 0
    bill_save(b)
    lapse_follow(a, b, false, 0, now)
    bill_event(a, 'billing.renewal.success', payment[PAYMENT.id], now, b,
        payment)
end
