-- Adds refusals to the error log of an application, which keeps the last
-- 1,000; once, however often the call is sent.
-- KEYS[1] stats:from:<sender> (of the partition)
-- ARGV    1 number of the call  2 account SID  3 application SID, then packed
--         refusals, the oldest first
-- Result  OK, 1 if they could not be kept: the key is damaged, else 0 | AGAIN
--- include: base
--- include: once
if not once(ARGV[1]) then
    return {'AGAIN'}
end
local k = key('errors', ARGV[2], ARGV[3])
local n = redis.pcall('LPUSH', k, unpack(ARGV, 4))
if type(n) ~= 'number' then
    return {'OK', 1}
end
call('LTRIM', k, 0, 999)
call('PEXPIRE', k, 440 * 86400000)
return {'OK', 0}
