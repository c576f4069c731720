-- Adds refusals to the error log of an application, which keeps the last
-- 1,000; once, however often the call is sent.
--- key: sender  stats:from:<sender> (of the partition)
--- arg: call  its number
--- arg: account  SID
--- arg: app  SID
--- arg: refusals...  packed, the oldest first
--- reply: OK damaged#  1 if they could not be kept: the key is damaged
--- reply: AGAIN
--- include: base
--- include: once
if not once(ARG.call) then
    return {'AGAIN'}
end
local k = key('errors', ARG.account, ARG.app)
local n = redis.pcall('LPUSH', k, unpack(ARGV, ARG.refusals))
if type(n) ~= 'number' then
    return {'OK', 1}
end
call('LTRIM', k, 0, 999)
call('PEXPIRE', k, 440 * 86400000)
return {'OK', 0}
