-- The end of a payment that has succeeded.
--- include: bill_event
--- include: account_save
--- include: ledger
--- include: credit_done
--- include: change
--- include: lapse
-- Ledger, period and event change together.
local function bill_done(a, b, payment, reference, now)
    local upgrade = payment[PAYMENT.kind] == 'upgrade'
    if for_balance(payment) then
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
    payment_done(payment, 'revenue', reference, now)
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
    bill_event(a, b, 'billing.renewal.success', payment[PAYMENT.id], now,
        {payment = payment})
end
