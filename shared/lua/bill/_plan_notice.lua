-- Notifies the contacts of an account of a change of its plan.
--- include: account
--- include: events
-- word, n: message and total of the event (schema.txt).
local function plan_notice(a, word, now, n)
    if call('EXISTS', key('contacts', ac)) == 1 then
        emit(a[ACCOUNT.timezone], nil, 'contact.notice', now, '', '',
            a[ACCOUNT.plan], false, n, no_results, 0, no_callbacks, word, '',
            '')
    end
end
