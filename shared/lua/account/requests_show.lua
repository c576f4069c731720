-- Shows what operators want of accounts, and what has become of it.
--- key: acct  acct:<AC> of the operators
--- reply: OK now# plans waiting[] ended[]  the time (ms), packed names of the
---          plans, records: the newest first
--- reply: ACCOUNT  there are no operators
--- include: exists
local waiting, found = {}, call('HGETALL', key('requests', ac))
for i = 2, #found, 2 do
    waiting[i / 2] = {tonumber(found[i - 1]) or 0, found[i]}
end
table.sort(waiting, function(a, b)
    return a[1] > b[1]
end)
for i, of in ipairs(waiting) do
    waiting[i] = of[2]
end
local ended = call('LRANGE', key('ended', ac), 0, -1)
for i = 1, math.floor(#ended / 2) do
    ended[i], ended[#ended + 1 - i] = ended[#ended + 1 - i], ended[i]
end
return {'OK', now_ms(), call('GET', key('plans')) or '', waiting, ended}
