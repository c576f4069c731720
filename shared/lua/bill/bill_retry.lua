-- Pays at once: a request to the daemon, and nothing else, so nginx may run it.
--- key: acct  acct:<AC>
--- audit
--- reply: OK
--- reply: BILL  it has no bill
--- reply: HELD  the account is suspended
--- reply: NOTHING  there is nothing to pay
--- reply: FLIGHT state  of the payment: how its last attempt ended is not known
--- reply: RENEW  the plan does not renew itself
--- reply: HAND  the operator books the payment when the money arrives
--- reply: NOSOURCE  there is no payment source
--- reply: SOON  the last request was made within a minute
--- include: terms
local b, a, now = load(key('bill', ac)), load(KEY.acct), now_ms()
if not b or not a then
    return {'BILL'}
end
named = b[BILL.plan]
local p = b[BILL.open] ~= '' and load(key('pay', ac, b[BILL.open]))
local by_check = b[BILL.period] == 'check'
local function refused()
    local since = now - (terms[TERMS.asked] or 0)
    if a[ACCOUNT.status] == 'suspended' then
        return 'HELD'
    elseif not p and (by_check or b[BILL.state] ~= 'lapsed') then
        return 'NOTHING'
    elseif p and p[PAYMENT.state] ~= 'open' and p[PAYMENT.state] ~= 'failed'
    then
        return 'FLIGHT', p[PAYMENT.state]
    elseif not by_check and terms[TERMS.renew] == 0
        and not (p and p[PAYMENT.kind] == 'upgrade')
    then
        return 'RENEW'
    elseif p and b[BILL.gateway] == 'manual' then
        return 'HAND'
    elseif b[BILL.gateway] == 'stripe'
        and call('ZCARD', key('sources', ac)) == 0
    then
        return 'NOSOURCE'
    elseif since >= 0 and since < 60000 then
        return 'SOON'
    end
end
local word, state = refused()
if word then
    by = nil
    return {word, state}
end
terms_save(now)
return {'OK'}
