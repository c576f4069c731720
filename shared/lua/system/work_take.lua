-- Accounts with work that nobody has done for a while.  They are put off, so
-- that one caller at a time gets each.
-- KEYS[1] works (of the partition that is meant)
-- ARGV    1 how many accounts at most
-- Result  OK, accounts
--- include: base
local now = now_ms()
local wait = 10000
local late = call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', '0', ARGV[1])
local later = {}
for i, ac in ipairs(late) do
    later[2 * i - 1] = tostring(now + wait)
    later[2 * i] = ac
end
if later[1] then
    call('ZADD', KEYS[1], unpack(later))
end
return {'OK', unpack(late)}
