-- A daemon claims checks of one partition, each on a lease: first those whose
-- lease has run out, then waiting ones, account by account in turn, so that an
-- account with many checks does not delay the first one of another account.
--
-- A claimed manual check is in the leases.  A claimed host is due again at the
-- end of its lease, and that time shows which daemon has it; its check exists
-- only when it is started (check_begin).
--- key: leases
--- arg: kinds  "m": manual checks, "d": hosts that are due, "md", "dm": first
--          those, then these, if there is room
--- arg: most  how many at most
--- arg: share  how many of one account at most
--- arg: lease  ms
--- arg: daemon  its name
--- arg: alone  how many manual checks at most that were claimed twice already
--- arg: accounts...  that are left out
--- reply: OK  then for a manual check its handle: "<AC>:<PP>:<HT or
--          nothing>:m:<how many times it was claimed>:<the daemon's name>",
--          and for the hosts of an account a row; "damaged <AC>: <error>" for
--          an account whose keys are not what they should be; at the end
--          "alone" if a check that was claimed twice waits to go alone
--- row: due account till# hosts[]  till: the end of the lease (ms)
local left, share_max = tonumber(ARG.most), tonumber(ARG.share)
local name = ARG.daemon
-- As text: each command would convert a number again.
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

-- A check that was claimed twice and did not finish may have crashed two
-- daemons, or ran beside one that did.  To find out, each goes alone, and the
-- rest stays here, as does what exceeds the share of its account.  If these are
-- many, some step aside for a moment, so that others behind them are seen.
-- Only a check that was started counts: one that never reached its daemon has
-- not crashed it.
local few = 16
local late = call('ZRANGEBYSCORE', KEY.leases, '-inf', at, 'LIMIT', '0',
    left + few)
local alone, gone, stay = tonumber(ARG.alone), {}, {}
local waits = false
for _, handle in ipairs(late) do
    local ac, pp, ht, times =
        string.match(handle, '^(%w+):(%w+):(%w*):m:(%d+):')
    local n = given[ac] or 0
    if times == '2' and alone == 0 or n >= share_max then
        stay[#stay + 1] = handle
        waits = waits or times == '2'
    elseif #gone < left then
        gone[#gone + 1] = handle
        if times == '2' then
            alone = alone - 1
        end
        if ac then
            given[ac] = n + 1
            local ok, status = pcall(call, 'HGET', key('check', ac, pp),
                'status')
            if ok and status == 'running' then
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

-- Both claim up to n checks of an account, and return how many they claimed,
-- and the time of the account's next turn, if there is one.
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

-- An account with damaged keys must not stop the claims of others: its next
-- turn is in a minute.
local damaged_wait = 60000
local function take_sound(take, ac, n)
    local ok, got, turn = pcall(take, ac, n)
    if ok then
        return got, turn
    end
    out[#out + 1] = 'damaged ' .. ac .. ': '
        .. (type(got) == 'table' and got.err or tostring(got))
    return 0, now + damaged_wait
end

-- One pass gives each waiting account the same share.  What some accounts do
-- not need is shared in the next pass.  A turn may be too early: after checks
-- that finished within their lease.  Passes with such turns only do not count,
-- up to a bound.
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
            local got, turn = take_sound(take, ac, math.min(share, left,
                share_max - n))
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
        take_all(take_manual, key('manual'), now + damaged_wait / 2)
    else
        take_all(take_due, key('due'), at)
    end
end

if #leases > 0 then
    call('ZADD', KEY.leases, unpack(leases))
end
call('ZADD', key('daemons'), at, name)
if waits then
    out[#out + 1] = 'alone'
end
return out
