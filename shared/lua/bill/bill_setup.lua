-- An account wants to add a payment source.  A daemon asks the gateway for a
-- page (bill_session.lua), and puts its address into the record.
--- key: acct  acct:<AC>
--- arg: back  URL to which the gateway sends the customer back
--- audit
--- reply: OK
--- reply: BILL  it has no bill
--- reply: GATEWAY  its gateway keeps no sources
--- include: payment
local b = load(bill_key)
if not b then
    return {'BILL'}
elseif b[BILL.gateway] ~= 'stripe' then
    return {'GATEWAY'}
end
named = b[BILL.plan]
save(key('setup', ac), {1, 'wanted', now_ms(), ARG.back, '', '', 0, ''})
payment_wake()
return {'OK'}
