-- An account wants to pay in advance, once, through its gateway.  A daemon
-- opens the payment (_credit.lua).  It writes no bill and no payment: nginx may
-- run it.
--- key: acct  acct:<AC>
--- arg: once  what makes it the same: the same has one effect
--- arg: amount  micro-USD
--- audit
--- reply: OK
--- reply: BILL  it has no bill
--- reply: PERIOD  its plan is not paid by the check
--- reply: GATEWAY  the operator books its payments
--- reply: CARD  it has no payment source
--- reply: OPEN  another payment is open
--- include: terms
--- include: payment_sid
local b = load(key('bill', ac))
if not b then
    return {'BILL'}
end
named = b[BILL.plan]
local py = payment_sid('tu:' .. ac .. ':' .. ARG.once)
if terms[TERMS.once] == ARG.once or call('EXISTS', key('pay', ac, py)) == 1
then
    by = nil
    return {'OK'}
elseif b[BILL.period] ~= 'check' then
    return {'PERIOD'}
elseif b[BILL.gateway] == 'manual' then
    return {'GATEWAY'}
elseif b[BILL.gateway] == 'stripe' and call('ZCARD', key('sources', ac)) == 0
then
    return {'CARD'}
elseif b[BILL.open] ~= '' or (terms[TERMS.once] or '') ~= '' then
    return {'OPEN'}
end
terms[TERMS.topup], terms[TERMS.once] = tonumber(ARG.amount), ARG.once
terms[TERMS.wanted] = now_ms()
terms_save()
return {'OK'}
