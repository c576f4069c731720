-- Shows a page of the contacts of an account.
--- key: acct  acct:<AC>
--- arg: first  rank
--- arg: last  rank
--- reply: OK total# contacts[]  packed records
--- reply: ACCOUNT  there is none
--- include: exists
local contacts, found = key('contacts', ac), {}
local keys = call('ZRANGE', contacts, ARG.first, ARG.last)
for i, co in ipairs(keys) do
    keys[i] = key('r', ac, co)
end
for _, raw in ipairs(keys[1] and call('MGET', unpack(keys)) or {}) do
    found[#found + 1] = raw or nil
end
return {'OK', call('ZCARD', contacts), found}
