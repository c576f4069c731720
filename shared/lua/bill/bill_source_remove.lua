-- Removes a payment source.  What is charged with it now goes on.
--- key: acct  acct:<AC>
--- arg: source  SID
--- audit: source
--- reply: OK
--- reply: SOURCE  there is none
--- include: bill
--- include: source
local s, b = load(source_key(ARG.source)), load(bill_key)
if not s then
    return {'SOURCE'}
end
named = s[SOURCE.brand] .. ' ' .. s[SOURCE.last4]
call('DEL', source_key(ARG.source))
call('ZREM', key('sources', ac), ARG.source)
if b then
    call('ZADD', key('billdue'), '0', ac)
end
return {'OK'}
