-- Removes a payment source: it is not charged from now on, and the daemon
-- deletes it (bill_step.lua).  It writes no bill and no source: nginx may run
-- it.
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
    save(terms_key, terms)
end
call('ZADD', key('billdue'), '0', ac)
return {'OK'}
