-- Asks for a payment source: the daemon then asks the gateway for a page where
-- the customer adds one, and stores its URL.  It writes no bill and no money:
-- nginx may run it.
--- key: acct  acct:<AC>
--- arg: back  URL that the gateway sends the customer to then
--- audit
--- reply: OK
--- reply: BILL  it has no bill
--- reply: GATEWAY  its gateway keeps no sources
--- include: account
--- use: bill setup
local b = load(key('bill', ac))
if not b then
    return {'BILL'}
elseif b[BILL.gateway] ~= 'stripe' then
    return {'GATEWAY'}
end
named = b[BILL.plan]
save(key('setup', ac), {1, 'wanted', now_ms(), ARG.back, '', '', 0, ''})
call('ZADD', key('billdue'), '0', ac)
return {'OK'}
