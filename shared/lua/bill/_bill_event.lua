-- Puts a billing event into the outbox.  Its SID is made of `of`, what it is
-- about: if the same is told twice, receivers see that.
--- include: bill
-- The plan as it is told; `a` is the account's record.
local function bill_sold(a, b)
    return cmsgpack.pack({1, b[BILL.plan], b[BILL.price],
        a[ACCOUNT.max_hosts], a[ACCOUNT.interval], b[BILL.ends],
        terms[TERMS.renew]})
end
local function source_record(ps)
    return ps and ps ~= '' and call('GET', key('source', ac, ps)) or ''
end
local function bill_tell(a, type, of, now, told)
    local sid = 'EV' .. redis.sha1hex(type .. of):sub(1, 32)
    call('XADD', key('outbox'), '*', 'a', ac, 'e', sid, 'd', cmsgpack.pack({1,
        sid, type, now, '', '', '', 0, 0, '\144', 1, {}, a[ACCOUNT.timezone],
        '', '', '', cmsgpack.pack(told)}))
end
local function bill_event(a, type, of, now, b, payment, attempt, reason, next,
    days, source)
    bill_tell(a, type, of, now, {1, bill_sold(a, b),
        payment and cmsgpack.pack(payment) or '', attempt or 0, reason or '',
        next or 0, days or 0,
        source_record(source or payment and payment[PAYMENT.source])})
end
