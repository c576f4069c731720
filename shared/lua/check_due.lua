-- Turns due hosts of one partition into jobs; any number of daemons may try.
-- Hosts stay in their schedule while enough jobs wait or are in work.
-- KEYS[1] due
-- ARGV    1 how many jobs of due hosts there may be at a time
--         2... one fresh check SID for each host that may be claimed
-- Result  OK, number claimed, ms until the next host is due (-1: none)
--- include: base
local now = now_ms()
local jobs = key('jobs:due')
local room = ARGV[1] - redis.call('XLEN', jobs)
local due = {}
if room > 0 then
    due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0,
        math.min(room, #ARGV - 1))
end
if #due > 0 then
    redis.call('ZREM', KEYS[1], unpack(due))
end
local flight = key('flight')
for i, member in ipairs(due) do
    if redis.call('HSETNX', flight, member, ARGV[i + 1]) == 1 then
        local a, h = string.match(member, '^(%w+):(%w+)$')
        redis.call('XADD', jobs, '*', 'a', a, 'c', ARGV[i + 1], 'h', h)
    end
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local wait = -1
if first[2] then
    wait = math.max(0, tonumber(first[2]) - now)
end
return {'OK', #due, wait}
