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
-- The plan as it is told: that of a payment, or of the account, whose record
-- `a` has its limits.
local function bill_sold(a, b, payment)
    local c = payment and change_of(b, payment)
    return cmsgpack.pack({1, c and c[CHANGE.plan] or b[BILL.plan],
        c and c[CHANGE.price] or b[BILL.price],
        c and c[CHANGE.hosts] or a[ACCOUNT.max_hosts],
        c and c[CHANGE.shortest] or a[ACCOUNT.min_interval], b[BILL.ends],
        terms[TERMS.renew], b[BILL.stops] or 0})
end
local function source_record(ps)
    return ps and ps ~= '' and call('GET', key('source', ac, ps)) or ''
end
-- type: of the event, or a word.  total: of the notice (schema.txt).
local function bill_tell(a, type, of, now, told, total)
    local function put(type, word, of)
        local sid = 'EV' .. redis.sha1hex(type .. of):sub(1, 32)
        call('XADD', key('outbox'), '*', 'a', ac, 'e', sid, 'd',
            cmsgpack.pack({1, sid, type, now, '', '', '', 0, total or 0, '\144',
                word == '' and 1 or 0, {}, a[ACCOUNT.timezone], word, '', '',
                cmsgpack.pack(told)}))
    end
    local word = bill_words[type]
    if word then
        put(type, '', of)
    end
    put('contact.notice', word or type, type .. of)
end
local function bill_event(a, type, of, now, b, payment, attempt, reason, next,
    days, source, total)
    bill_tell(a, type, of, now, {1, bill_sold(a, b, payment),
        payment and cmsgpack.pack(payment) or '', attempt or 0, reason or '',
        next or 0, days or 0,
        source_record(source or payment and payment[PAYMENT.source])}, total)
end
