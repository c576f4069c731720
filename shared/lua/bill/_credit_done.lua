-- A recharge or a top-up has been paid: it is in the balance.  It may have been
-- given up before.
--- include: credit
--- include: lapse
local balance_most = 1e15               -- micro-USD; Lua's numbers are exact
-- to: of the ledger.
local function payment_done(payment, to, reference, now)
    payment[PAYMENT.state], payment[PAYMENT.done] = 'succeeded', now
    payment[PAYMENT.reference], payment[PAYMENT.reason] = reference, ''
    payment_save(payment)
    ledger_add(payment[PAYMENT.key], 'cash', to, payment[PAYMENT.amount],
        payment[PAYMENT.id], reference)
end
local function credit_done(a, b, payment, reference, now)
    payment_done(payment, 'credit', reference, now)
    if not b then
        return
    end
    if b[BILL.open] == payment[PAYMENT.id] then
        b[BILL.open] = ''
    end
    local m = money_read()
    local recharge = payment[PAYMENT.kind] == 'recharge'
    if recharge then
        m.last, m.fails = now, 0
        money_set(m, 'last', 'fails')
    end
    bill_event(a, b, recharge and 'billing.recharge.success' or 'paid',
        payment[PAYMENT.id], now, {payment = payment, money = m})
    if b[BILL.period] == 'check' then
        credit_step(a, b, now)
        if b[BILL.state] ~= 'lapsed' then
            lapse_follow(a, b, false, 0, now)
        end
    end
    bill_save(b)
end
