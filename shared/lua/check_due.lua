-- Turns due hosts of one partition into jobs; any number of daemons may try.
-- KEYS[1] due
-- ARGV    one fresh check SID for each host that may be claimed
-- Result  OK, number claimed, ms until the next host is due (-1: none)
--- include: base
local now = now_ms()
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0,
    #ARGV)
if #due > 0 then
    redis.call('ZREM', KEYS[1], unpack(due))
end
local flight, jobs = key('flight'), key('jobs:due')
for i, member in ipairs(due) do
    if redis.call('HSETNX', flight, member, ARGV[i]) == 1 then
        local a, h = string.match(member, '^(%w+):(%w+)$')
        redis.call('XADD', jobs, '*', 'a', a, 'c', ARGV[i], 'h', h)
    end
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local wait = -1
if first[2] then
    wait = math.max(0, tonumber(first[2]) - now)
end
return {'OK', #due, wait}
