-- Pulls in what is due later than it can be: the clock was ahead when it was
-- written, and was set back.  A host is due within its account's interval and a
-- lease, a manual check's lease ends within a lease, and its turn is now.
-- Deliveries wait for 30 hours at most (backoff.c, with circuits), and bills
-- for a day (_bill.lua).
--
-- One call looks at some accounts, from the one with the last turn on, and at
-- most at `most` hosts of each.
--- key: due
--- arg: from  the rank of the first account, in the order of falling turns
--- arg: most  how many accounts, and hosts of each
--- arg: lease  ms
--- reply: OK now# next# pulled#  next: where to go on, -1: all were looked at;
--          pulled: how many were
local now, most, from = now_ms(), tonumber(ARG.most), tonumber(ARG.from)
local lease, pulled = 2 * ARG.lease, 0
-- Members of a sorted set that are later than that time.
local function later(k, than)
    return call('ZRANGEBYSCORE', k, '(' .. tostring(than), '+inf', 'LIMIT', '0',
        most)
end
-- Each gets the time of its place in the interval (_turn.lua).
local function pull_hosts(ac, interval)
    local k = key('due', ac)
    local ms, times = interval * 1000, {}
    for i, ht in ipairs(later(k, now + math.max(ms * 1.1, lease))) do
        times[2 * i - 1] = tostring(now + ((tonumber(ht:sub(24), 16) or 0)
            - now) % ms)
        times[2 * i] = ht
    end
    if times[1] then
        call('ZADD', k, unpack(times))
        pulled = pulled + #times / 2
    end
    return call('ZRANGE', k, 0, 0, 'WITHSCORES')[2]
end
local accounts = call('ZRANGE', KEY.due, from, from + most - 1, 'REV',
    'WITHSCORES')
for i = 1, #accounts, 2 do
    local ac, turn = accounts[i], tonumber(accounts[i + 1])
    local ok, a = pcall(load, key('acct', ac))
    local interval = ok and type(a) == 'table'
        and tonumber(a[ACCOUNT.interval]) or 0
    if interval > 0 then
        local sound, first = pcall(pull_hosts, ac, interval)
        if sound and first and tonumber(first) < turn then
            call('ZADD', KEY.due, first, ac)
        end
    end
end
local hour = 3600000
local longest = {
    leases = lease, manual = lease, works = hour, tellings = hour,
    settle = hour, digests = hour, retry = 30 * hour, billdue = 25 * hour,
    paydue = 25 * hour,
}
for index, wait in pairs(longest) do
    -- What is left is for the next call, after many hosts.
    for _, member in ipairs(pulled < 8 * most and later(key(index), now + wait)
        or {})
    do
        call('ZADD', key(index), tostring(now), member)
        pulled = pulled + 1
    end
end
return {'OK', now, #accounts == 2 * most and from + most or -1, pulled}
