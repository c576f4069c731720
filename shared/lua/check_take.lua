-- Hands jobs of one partition to a daemon, each on a lease: first those whose
-- lease has run out, then waiting ones, account by account in turn, so that
-- nobody's number of jobs delays another account's first one.  A host that is
-- due becomes a job only when somebody has room for it.
-- KEYS[1] leases
-- ARGV    1 "m": manual checks, "d": hosts that are due  2 how many at most
--         3 how many of one account at most  4 lease (ms)  5 the daemon's name
--         6 48 random hex digits, for the SIDs of new checks
--         7 how many at most that were handed out twice already
--         8... accounts that get nothing this time
-- Result  OK, handle...: "<AC>:<PP>:<HT or nothing>:<m or d>:<how many times
--         it was handed out>:<the daemon's name>"
--- include: base
local left, share_max, name = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[5]
local now = now_ms()
local till = now + ARGV[4]
local out, leases = {'OK'}, {}
local function lease(handle)
    out[#out + 1] = handle
    leases[#leases + 1] = till
    leases[#leases + 1] = handle
end

-- What was handed out twice has ended two daemons, or was beside what did.  To
-- tell one from the other each goes alone, and the rest stays here; many of
-- them step aside for a moment, so that others are seen behind them.
local few = 16
local late = call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0,
    left + few)
local alone, gone, stay = tonumber(ARGV[7]), {}, {}
for _, handle in ipairs(late) do
    local job, times = string.match(handle, '^(%w+:%w+:%w*:[md]):(%d+):')
    if times == '2' and alone == 0 then
        stay[#stay + 1] = handle
    elseif #gone < left then
        gone[#gone + 1] = handle
        if job then
            lease(job .. ':' .. times + 1 .. ':' .. name)
        end
        if times == '2' then
            alone = alone - 1
        end
    end
end
if #gone > 0 then
    call('ZREM', KEYS[1], unpack(gone))
    left = left - #gone
end
for i = few, #stay do
    call('ZADD', KEYS[1], now + 200, stay[i])
end

local function take_manual(ac, n)
    local k, first_time = key('manual', ac), ':m:1:' .. name
    local got = call('LPOP', k, n) or {}
    for _, job in ipairs(got) do
        lease(ac .. ':' .. job .. first_time)
    end
    if call('EXISTS', k) == 1 then
        call('ZADD', key('manual'), now, ac)
    else
        call('ZREM', key('manual'), ac)
    end
    return #got
end

-- The SIDs of a check's events are made of either half of its own.
local born, seed_a, seed_b = 0, ARGV[6]:sub(1, 24), ARGV[6]:sub(25)
local function new_sid()
    born = born + 1
    local n = string.format('%08x', born)
    return 'PP' .. seed_a .. n .. seed_b .. n
end
local function take_due(ac, n)
    local k, first_time = key('due', ac), ':d:1:' .. name
    local got = call('ZRANGEBYSCORE', k, '-inf', now, 'LIMIT', 0, n)
    if #got > 0 then
        local begun = {}
        for i, ht in ipairs(got) do
            local pp = new_sid()
            begun[2 * i - 1] = ac .. ':' .. ht
            begun[2 * i] = pp
            lease(ac .. ':' .. pp .. ':' .. ht .. first_time)
        end
        call('ZREMRANGEBYRANK', k, 0, #got - 1)
        call('HSET', key('flight'), unpack(begun))
    end
    local first = call('ZRANGE', k, 0, 0, 'WITHSCORES')
    if first[2] then
        call('ZADD', key('due'), math.max(now, tonumber(first[2])), ac)
    else
        call('ZREM', key('due'), ac)
    end
    return #got
end

-- One pass gives each waiting account the same share.  What is left because
-- some wanted less goes round again.
local take = ARGV[1] == 'm' and take_manual or take_due
local given = {}
for i = 8, #ARGV do
    given[ARGV[i]] = share_max
end
local index = key(ARGV[1] == 'm' and 'manual' or 'due')
local upto = ARGV[1] == 'm' and '+inf' or now
for _ = 1, 8 do
    if left <= 0 then
        break
    end
    local accounts = {}
    for _, ac in ipairs(call('ZRANGEBYSCORE', index, '-inf', upto, 'LIMIT', 0,
        left + #ARGV - 7))
    do
        if (given[ac] or 0) < share_max and #accounts < left then
            accounts[#accounts + 1] = ac
        end
    end
    if #accounts == 0 then
        break
    end
    local share = math.max(1, math.floor(left / #accounts))
    for _, ac in ipairs(accounts) do
        local n = given[ac] or 0
        local got = take(ac, math.min(share, left, share_max - n))
        given[ac] = n + got
        left = left - got
    end
end

if #leases > 0 then
    call('ZADD', KEYS[1], unpack(leases))
end
call('ZADD', key('daemons'), now, name)
return out
