-- Hands jobs of one partition to a daemon, each on a lease: first those whose
-- lease has run out, then waiting ones, account by account in turn, so that
-- nobody's number of jobs delays another account's first one.
--
-- A manual check that was taken is in the leases.  A host that is due becomes a
-- check only when it is begun (check_begin): taken, it is due again at the end
-- of its lease, and that time tells who has it.
--- key: leases
--- arg: kinds  "m": manual checks, "d": hosts that are due, "md", "dm": first
--          those, then these, if there is room
--- arg: most  how many at most
--- arg: share  how many of one account at most
--- arg: lease  ms
--- arg: daemon  its name
--- arg: alone  how many at most that were handed out twice already (manual
--          ones)
--- arg: accounts...  that get nothing this time
--- reply: OK  then for a manual check its handle: "<AC>:<PP>:<HT or
--          nothing>:m:<how many times it was handed out>:<the daemon's name>",
--          and for the hosts of an account a row
--- row: due account till# hosts[]  till: the end of the lease (ms)
--- include: base
local left, share_max = tonumber(ARG.most), tonumber(ARG.share)
local name = ARG.daemon
-- As text: each number would be made into one anew for each command.
local now = now_ms()
local at, till = tostring(now), tostring(now + ARG.lease)
local out, leases = {'OK'}, {}
local function lease(handle)
    out[#out + 1] = handle
    leases[#leases + 1] = till
    leases[#leases + 1] = handle
end

local given = {}
for i = ARG.accounts, #ARGV do
    given[ARGV[i]] = share_max
end

-- What was handed out twice has ended two daemons, or was beside what did.  To
-- tell one from the other each goes alone, and the rest stays here, as does
-- what is more than its account's share; many of them step aside for a moment,
-- so that others are seen behind them.  A try is one that was begun: a daemon
-- that never heard of its job has not been ended by it.
local few = 16
local late = call('ZRANGEBYSCORE', KEY.leases, '-inf', at, 'LIMIT', '0',
    left + few)
local alone, gone, stay = tonumber(ARG.alone), {}, {}
for _, handle in ipairs(late) do
    local ac, pp, ht, times =
        string.match(handle, '^(%w+):(%w+):(%w*):m:(%d+):')
    local n = given[ac] or 0
    if times == '2' and alone == 0 or n >= share_max then
        stay[#stay + 1] = handle
    elseif #gone < left then
        gone[#gone + 1] = handle
        if times == '2' then
            alone = alone - 1
        end
        if ac then
            given[ac] = n + 1
            if call('HGET', key('check', ac, pp), 'status') == 'running' then
                times = times + 1
            end
            lease(ac .. ':' .. pp .. ':' .. ht .. ':m:' .. times .. ':'
                .. name)
        end
    end
end
if #gone > 0 then
    call('ZREM', KEY.leases, unpack(gone))
    left = left - #gone
end
for i = few, #stay do
    call('ZADD', KEY.leases, now + 200, stay[i])
end

-- Both take up to so many of an account's and tell how many they took, and the
-- time of its next turn, if there is one.
local function take_manual(ac, n)
    local k, first_time = key('manual', ac), ':m:1:' .. name
    local got = call('LPOP', k, n) or {}
    for _, job in ipairs(got) do
        lease(ac .. ':' .. job .. first_time)
    end
    return #got, call('EXISTS', k) == 1 and at
end

-- One command for all of an account's hosts.
local function take_due(ac, n)
    local k = key('due', ac)
    local got = call('ZRANGEBYSCORE', k, '-inf', at, 'LIMIT', '0', n)
    if got[2] then
        local later = {}
        for i = 1, #got do
            later[2 * i - 1] = till
            later[2 * i] = got[i]
        end
        call('ZADD', k, unpack(later))
    elseif got[1] then
        call('ZADD', k, till, got[1])
    end
    if got[1] then
        out[#out + 1] = {ac, till, got}
    end
    local first = call('ZRANGE', k, '0', '0', 'WITHSCORES')[2]
    return #got, first and (tonumber(first) > now and first or at)
end

-- One pass gives each waiting account the same share.  What is left because
-- some wanted less goes round again.  A turn may come for nothing: that of
-- hosts whose checks have ended within their lease.  Passes of such turns alone
-- do not count, up to a bound.
local function take_all(take, index, upto)
    local passes, idle = 8, 32
    while passes > 0 and left > 0 do
        local before = left
        local accounts, turns, over = {}, {}, {}
        for _, ac in ipairs(call('ZRANGEBYSCORE', index, '-inf', upto, 'LIMIT',
            '0', left + #ARGV - ARG.accounts + 1))
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
            local got, turn = take(ac, math.min(share, left, share_max - n))
            given[ac] = n + got
            left = left - got
            if turn then
                turns[#turns + 1] = turn
                turns[#turns + 1] = ac
            else
                over[#over + 1] = ac
            end
        end
        if turns[1] then
            call('ZADD', index, unpack(turns))
        end
        if over[1] then
            call('ZREM', index, unpack(over))
        end
        if left == before and idle > 0 then
            idle = idle - 1
        else
            passes = passes - 1
        end
    end
end
for kind in ARG.kinds:gmatch('.') do
    if kind == 'm' then
        take_all(take_manual, key('manual'), '+inf')
    else
        take_all(take_due, key('due'), at)
    end
end

if #leases > 0 then
    call('ZADD', KEY.leases, unpack(leases))
end
call('ZADD', key('daemons'), at, name)
return out
