-- Tells the contacts that a payment needs the customer, or is left to the
-- operator; once for each attempt.
--- include: bill
--- include: events
--- use: account payment
local function payment_notice(a, b, p, word, url, now)
    if call('EXISTS', key('contacts', ac)) == 1 then
        local py, attempt = p[PAYMENT.id], p[PAYMENT.attempt]
        local id = redis.sha1hex(word .. py .. ':' .. attempt):sub(1, 32)
        emit(a[ACCOUNT.timezone], 'EV' .. id, 'contact.notice', now, py, '',
            b[BILL.plan], false, p[PAYMENT.amount], no_results, 0,
            no_callbacks, word, '', url)
    end
end
