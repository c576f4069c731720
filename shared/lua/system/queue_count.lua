-- Counts the queues of one partition, some accounts at a time, for the
-- operator.
--- key: lists  of the partition that is meant
--- arg: rank  of the account to begin with
--- arg: accounts  how many
--- reply: OK rank# manual# due# oldest# soon# scheduled#
-- rank: to go on with (-1: all were counted).  manual: checks that wait.  due:
-- hosts that are.  oldest: of those, ms since the first one was.  soon: hosts
-- due within a minute.  scheduled: hosts in the schedule.
local from, n = tonumber(ARG.rank), tonumber(ARG.accounts)
local now = now_ms()
local manual, due, oldest, soon, all = 0, 0, 0, 0, 0
local waiting = call('ZRANGE', key('manual'), from, from + n - 1,
    'WITHSCORES')
for i = 1, #waiting, 2 do
    manual = manual + call('LLEN', key('manual', waiting[i]))
    oldest = math.max(oldest, now - waiting[i + 1])
end
local accounts = call('ZRANGE', key('due'), from, from + n - 1)
for _, ac in ipairs(accounts) do
    local k = key('due', ac)
    due = due + call('ZCOUNT', k, '-inf', now)
    soon = soon + call('ZCOUNT', k, '-inf', now + 60000)
    all = all + call('ZCARD', k)
    local first = call('ZRANGE', k, 0, 0, 'WITHSCORES')
    if first[2] then
        oldest = math.max(oldest, now - first[2])
    end
end
return {'OK', (#accounts == n or #waiting == 2 * n) and from + n or -1,
    manual, due, oldest, soon, all}
