-- Tells the contacts that a payment needs the customer, or is left to the
-- operator; once for each attempt.
--- include: bill
--- include: events
--- use: account payment
local function payment_notice(a, b, p, word, url, now)
    if call('EXISTS', key('contacts', ac)) == 1 then
        emit(a[ACCOUNT.timezone], nil, 'contact.notice', now,
            p[PAYMENT.id], '', b[BILL.plan], false, p[PAYMENT.amount],
            no_results, 0, no_callbacks, word, '', url)
    end
end
