-- Reads how long the first entries of the queues of a partition have waited.
--- key: leases  of the partition that is meant
--- reply: OK manual# due# deliver# payments[]  ms since the turn of the first
--          account with manual checks came, ms since the host was due that is
--          the latest of the first accounts, ms since the oldest event came or
--          the first delivery was due; payments that are open, failed, unknown
--          and the operator's: their number, and ms since the oldest was opened
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
local deliver = 0
local event = call('XRANGE', key('outbox'), '-', '+', 'COUNT', 1)[1]
if event then
    deliver = math.max(0, now - tonumber(string.match(event[1], '^%d+')))
end
local retry = call('ZRANGE', key('retry'), 0, 0, 'WITHSCORES')
if retry[2] then
    deliver = math.max(deliver, now - retry[2])
end
local payments = {}
for _, state in ipairs({'open', 'failed', 'unknown', 'operator'}) do
    local k = key('unpaid', state)
    local oldest = call('ZRANGE', k, 0, 0, 'WITHSCORES')[2]
    payments[#payments + 1] = call('ZCARD', k)
    payments[#payments + 1] = oldest and math.max(0, now - oldest) or 0
end
return {'OK', manual, due, deliver, payments}
