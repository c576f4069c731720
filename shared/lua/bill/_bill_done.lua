-- A payment has succeeded: ledger, period and event change together.
--- include: bill_event
--- include: account_save
--- include: lapse
-- An entry of the ledger: `amount` from the account `debit` to `credit`
-- (rbl_keys.h).  `of` is what it is for; it is in the ledger once.
local function ledger_add(of, debit, credit, amount, reference)
    local money = key('money', ac)
    local change = credit == 'credit' and amount
        or debit == 'credit' and -amount or 0
    local balance = call('HINCRBY', money, 'balance',
        string.format('%.0f', change))
    call('XADD', key('ledger', ac), '*', 'k', of, 'd', debit, 'c', credit, 'a',
        string.format('%.0f', amount), 'r', reference, 'b',
        string.format('%.0f', balance))
end
local function bill_done(a, b, payment, reference, now)
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
    lapse_follow(a, false, 0, now)
    bill_event(a, 'billing.renewal.success', payment[PAYMENT.id], now, b,
        payment)
end
