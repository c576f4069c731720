-- Deletes the payment sources that the account has removed
-- (bill_source_gone.lua).
--- include: account
local gone = key('setup', ac, 'gone')
for _, sid in ipairs(call('ZRANGE', gone, 0, -1)) do
    call('ZREM', key('sources', ac), sid)
    call('DEL', key('source', ac, sid), gone)
end
