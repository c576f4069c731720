-- Removes a payment source: it is not charged from now on, and the daemon
-- deletes it (bill_step.lua).  If it was declined, another one is charged.  It
-- writes no bill and no source: nginx may run it.
--- key: acct  acct:<AC>
--- arg: source  SID
--- audit: source
--- reply: OK
--- reply: SOURCE  the account has none of this SID
--- include: terms
local s = owns('sources', ARG.source) and load(key('source', ac, ARG.source))
if not s then
    return {'SOURCE'}
end
named = s[SOURCE.last4]
call('ZADD', key('setup', ac, 'gone'), '0', ARG.source)
if terms[TERMS.source] == ARG.source then
    terms[TERMS.source] = ''
end
local b = load(key('bill', ac))
local p = b and b[BILL.open] ~= '' and load(key('pay', ac, b[BILL.open]))
local other = p and p[PAYMENT.source] == ARG.source
    and call('ZCARD', key('sources', ac))
        > call('ZCARD', key('setup', ac, 'gone'))
terms_save(other and now_ms())
return {'OK'}
