-- How long those that are first in the queues of a partition have waited.
--- key: leases  of the partition that is meant
--- reply: OK manual# due#  ms since the turn of the first account with manual
--          checks came, ms since the host was due that is the latest of the
--          first accounts
--- include: base
local now = now_ms()
local manual, due = 0, 0
local first = call('ZRANGE', key('manual'), 0, 0, 'WITHSCORES')
if first[2] then
    manual = math.max(0, now - first[2])
end
for _, ac in ipairs(call('ZRANGE', key('due'), 0, 7)) do
    local host = call('ZRANGE', key('due', ac), 0, 0, 'WITHSCORES')
    if host[2] then
        due = math.max(due, now - host[2])
    end
end
return {'OK', manual, due}
