-- Tells what happens to a bill: webhook receivers by an event of its own type,
-- and people by a notice (rbl-events(7)).  The SIDs are made of `of`, what it
-- is about: if the same is told twice, receivers see that.
--- include: bill
-- The word of the notice for each event (deliver/message/notice.c).  Other
-- words are for people alone: of these there is no event.
local bill_words = {
    ['billing.renewal.success'] = 'paid', ['billing.renewal.failed'] = 'failed',
    ['billing.recharge.success'] = 'paid',
    ['billing.recharge.failed'] = 'failed',
    ['billing.balance.alert'] = 'low', ['expiring.card.alert'] = 'card',
    ['expiring.plan.alert'] = 'ends',
}
-- type: of the event, or a word.  o: what else is told: payment, reason, next
-- (when the next attempt is made), days, source (SID), money (of the balance),
-- total (of the notice, schema.txt).  The record `a` has the plan's limits,
-- unless the payment is for another one.
local function bill_event(a, b, type, of, now, o)
    o = o or {}
    local p = o.payment
    local m = o.money or {balance = 0, used = 0, falls = 0, to = 0}
    local c = p and change_of(b, p)
    local sold = {1, c and c[CHANGE.plan] or b[BILL.plan],
        c and c[CHANGE.price] or b[BILL.price],
        c and c[CHANGE.hosts] or a[ACCOUNT.max_hosts],
        c and c[CHANGE.shortest] or a[ACCOUNT.min_interval], b[BILL.ends],
        terms[TERMS.renew], b[BILL.stops] or 0}
    local source = o.source or p and p[PAYMENT.source] or ''
    local told = cmsgpack.pack({1, cmsgpack.pack(sold),
        p and cmsgpack.pack(p) or '',
        p and math.max(p[PAYMENT.attempt], 1) or 0, o.reason or '',
        o.next or 0, o.days or 0,
        source ~= '' and call('GET', key('source', ac, source)) or '',
        m.balance - m.used, terms[TERMS.alert], m.falls, m.to})
    local function put(type, word, of)
        local sid = 'EV' .. redis.sha1hex(type .. of):sub(1, 32)
        call('XADD', key('outbox'), '*', 'a', ac, 'e', sid, 'd',
            cmsgpack.pack({1, sid, type, now, '', '', '', 0, o.total or 0,
                '\144', word == '' and 1 or 0, {}, a[ACCOUNT.timezone], word,
                '', '', told}))
    end
    local word = bill_words[type]
    if word then
        put(type, '', of)
    end
    put('contact.notice', word or type, type .. of)
end
-- Tells people what is due by hand, once for each amount.  p: may be nil.
local function bill_due(a, b, p, now, money)
    local told, amount = p and p[PAYMENT.told], p and p[PAYMENT.amount]
    if p and b[BILL.gateway] == 'manual' and math.abs(told) ~= amount then
        p[PAYMENT.told] = told == 0 and amount or -amount
        payment_save(p)
        bill_event(a, b, 'due', string.format('%s:%.0f', p[PAYMENT.id], now),
            now, {payment = p, money = money})
    end
end
