-- All tokens of an account.
--- key: acct  acct:<AC>
-- The reply has no word: it is field, record, field, record...
--- include: account
local out = {}
for _, field in ipairs(call('HKEYS', key('tokens', ac))) do
    local raw = call('GET', key('token', ac, field))
    if raw then
        out[#out + 1] = field
        out[#out + 1] = raw
    end
end
return out
