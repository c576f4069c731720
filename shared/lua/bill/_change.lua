-- A change of plan inside a period that is paid.  A plan that costs more a day
-- begins when the difference for the rest is paid, a cheaper one at the end of
-- the period.  What is left when the account leaves the plan is credited.
--- include: credit
--- include: plan
-- Until when the account has paid (ms); 0: it has not.
local function paid_until(b, now)
    return b[BILL.period] ~= 'check' and b[BILL.begins] < b[BILL.ends]
        and b[BILL.ends] > now and b[BILL.ends] or 0
end
-- The price of the time that is paid, from now on (micro-USD).
local function rest_price(b, price, period, now)
    local begins = b[BILL.begins]
    return price * (math.max(paid_until(b, now) - now, 0)
        / (period_end(begins, period, b[BILL.anchor]) - begins))
end
-- Credits what is left of the period: of each payment for it the share of what
-- was not paid back.  The renewal is the oldest of them.
local function rest_credit(b, now)
    local all = paid_until(b, now) > 0
        and call('ZREVRANGE', key('payments', ac), 0, -1) or {}
    for _, py in ipairs(all) do
        local p = payment_load(py)
        local ends = p and p[PAYMENT.ends] or 0
        if ends > now and p[PAYMENT.state] == 'succeeded'
            and p[PAYMENT.credited] == 0
        then
            local from = math.max(now, p[PAYMENT.begins])
            local rest = math.floor((p[PAYMENT.amount] - p[PAYMENT.refunded])
                * ((ends - from) / (ends - p[PAYMENT.begins])))
            if rest > 0 then
                p[PAYMENT.credited] = rest
                save(payment_key(py), p)
                ledger_add('rest:' .. py, 'revenue', 'credit', rest, py, '')
            end
            if p[PAYMENT.kind] == 'renewal' and p[PAYMENT.begins] <= now then
                return
            end
        end
    end
end
-- Why the plan cannot change now: a payment is under way; or the next period is
-- paid, and its plan has not begun: until then another change would lose one of
-- both.  p: the payment that is open, or nil.
local function change_refused(b, p, now)
    local state = p and p[PAYMENT.state] or 'open'
    local c = bill_change(b)
    if state ~= 'open' and state ~= 'failed' then
        return {'PAYING', state}
    elseif paid_until(b, now) > 0 and c and c[CHANGE.at] > 0
        and c[CHANGE.at] < b[BILL.ends]
    then
        return {'WAITS', c[CHANGE.plan], c[CHANGE.at]}
    end
end
-- The account leaves its kind of plan: what it owes is booked, and what is left
-- is credited.
local function plan_leave(b, p, reason, now)
    if p then
        payment_void(b, p, reason, now)
    end
    credit_book(money_read(), now)
    rest_credit(b, now)
    call('DEL', key('meter', ac))
    call('HDEL', money_key, 'day')
end
local function change_begin(a, b, c)
    b[BILL.plan], b[BILL.price] = c[CHANGE.plan], c[CHANGE.price]
    b[BILL.period], b[BILL.change] = c[CHANGE.period], ''
    plan_set(a, c[CHANGE.plan], c[CHANGE.paid], c[CHANGE.hosts],
        c[CHANGE.contacts], c[CHANGE.checks], c[CHANGE.shortest])
    account_save(a)
end
local function change_due(a, b, now)
    local c = bill_change(b)
    if c and c[CHANGE.at] > 0 and now >= c[CHANGE.at] then
        change_begin(a, b, c)
    end
end
