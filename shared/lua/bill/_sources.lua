-- A step of a script that shows payment sources: the records of at most 20,
-- without those that the account has removed (bill_source_gone.lua).
--- include: account
local sources = {}
for _, sid in ipairs(call('ZRANGE', key('sources', ac), 0, 19)) do
    if not call('ZSCORE', key('setup', ac, 'gone'), sid) then
        sources[#sources + 1] = call('GET', key('source', ac, sid)) or nil
    end
end
