-- Notifies the contacts of an account of a change of its plan.
--- include: account
--- include: events
--- use: account
-- word, n: message and total of the event (schema.txt).
local function plan_notice(a, word, now, n)
    if call('EXISTS', key('contacts', ac)) == 1 then
        local id = redis.sha1hex(word .. ac .. now):sub(1, 32)
        emit(a[ACCOUNT.timezone], 'EV' .. id, 'contact.notice', now, '', '',
            a[ACCOUNT.plan], false, n, no_results, 0, no_callbacks, word, '',
            '')
    end
end
