-- Ends scheduled checks that found every list clear that was asked, of hosts
-- that are on none, without trouble before, and of which nobody hears: all that
-- changes is when they were checked and when they will be again.  This is what
-- the store does most; it is done for several checks at once.
--- key: flights  flight:due
--- arg: member flight interval...  of each check: "<AC>:<HT>", its flight as
--          check_begin left it, seconds between the checks of the host
--- reply: OK  then for each "1", or "0": nothing was done, check_finish has to
--          be asked
--- include: base
--- include: due
--- include: checked
--- use: host
local now = now_ms()

-- The host's next time, and its parent; nothing: its check does not end here.
-- A mark goes before the host changes, whatever becomes of the rest.
local function clear(k, mark, raw, account, ht, flight, interval)
    -- Up to `created`, and from `checked` to `details`.
    local from, _, _, _, _, _, _, parent, status =
        cmsgpack.unpack_limit(raw, HOST.checked - 1, 3)
    local to, _, _, count, _, _, before =
        cmsgpack.unpack_limit(raw, HOST.details - HOST.checked + 1, from)
    -- A list that has trouble is `troubled`, behind them: no empty array.  Then
    -- comes `uncovered`: check_finish ends it.
    if status ~= 'active' or count ~= 0 or #before > 0
        or to > 0 and (raw:byte(to + 1) ~= 144 or raw:byte(to + 2) == 1)
    then
        return
    end
    local next_check = next_time(ht, now, interval)
    local at = tostring(next_check)
    -- As cmsgpack would: two times of eight octets, and an empty array.
    local fields = struct.pack('>BI8BBBBI8B', 207, now, 0, 0, 0, 207,
        next_check, 144)
    to = to > 0 and to or #raw
    if mark then
        call('DEL', mark)
    end
    if #fields == to - from then
        call('SETRANGE', k, from, fields)
    else
        call('SET', k, raw:sub(1, from) .. fields .. raw:sub(to + 1))
    end
    -- The account's turn is not later than the end of the lease, unless that
    -- is over and another daemon has the host, too.
    local till = flight:sub(70, 82)
    if at < till or till <= tostring(now) then
        call('ZADD', base .. 'due', 'LT', at, account)
    end
    return at, parent
end

-- No function more than needed: each is made anew for each call.
local function range_checked(account, parent)
    local k = base .. 'r:' .. account .. ':' .. parent
    local raw = call('GET', k)
    local range = raw and cmsgpack.unpack(raw)
    if range then
        range[HOST.checked] = now
        call('SET', k, cmsgpack.pack(range))
    end
end

-- One alone: no lists of what there is but one of.
local n = (#ARGV - ARG.before) / ARG.each
if n == 1 then
    local member, flight, interval = unpack(ARGV, ARG.before + 1)
    local account, ht = member:sub(1, 34), member:sub(36)
    local k, mark = base .. 'r:' .. member, base .. 'unchanged:' .. account
    local checked = base .. 'checked:' .. account
    local found = call('MGET', k, mark, checked)
    if not found[1] or call('HGET', KEY.flights, member) ~= flight then
        return {'OK', '0'}
    end
    local at, parent = clear(k, found[2] and mark, found[1], account, ht,
        flight, interval)
    if not at then
        return {'OK', '0'}
    end
    call('HDEL', KEY.flights, member)
    call('ZADD', base .. 'due:' .. account, at, ht)
    checked_at(checked, found[3], now, interval)
    if parent ~= '' then
        range_checked(account, parent)
    end
    return {'OK', '1'}
end

local out, members, accounts, keys = {'OK'}, {}, {}, {}
for i = 1, n do
    local member = ARGV[ARG.member + ARG.each * i]
    members[i] = member
    accounts[i] = member:sub(1, 34)
    keys[i] = base .. 'r:' .. member
end
-- The accounts' marks come with the records: most have none.  So do the times
-- of their last checks.
for i = 1, n do
    if accounts[i] ~= accounts[i - 1] then
        keys[#keys + 1] = base .. 'unchanged:' .. accounts[i]
        keys[#keys + 1] = base .. 'checked:' .. accounts[i]
    end
end
local flights = call('HMGET', KEY.flights, unpack(members))
local raws = call('MGET', unpack(keys))
local last = {}
for i = n + 1, #keys, 2 do
    if raws[i] then
        call('DEL', keys[i])
    end
    last[keys[i + 1]] = raws[i + 1]
end
-- Hosts of one account that follow each other are scheduled together.
local ended, times, ranges, scheduled, interval = {}, {}, {}, nil, nil
local function schedule()
    if times[1] then
        local k = base .. 'checked:' .. scheduled
        call('ZADD', base .. 'due:' .. scheduled, unpack(times))
        checked_at(k, last[k], now, interval)
        times = {}
    end
end
for i = 1, n do
    local flight, account, at, parent = ARGV[ARG.flight + ARG.each * i],
        accounts[i], nil, nil
    if raws[i] and flights[i] == flight then
        at, parent = clear(keys[i], nil, raws[i], account,
            members[i]:sub(36), flight, ARGV[ARG.interval + ARG.each * i])
    end
    if at then
        if account ~= scheduled then
            schedule()
            scheduled, interval = account,
                ARGV[ARG.interval + ARG.each * i]
        end
        times[#times + 1] = at
        times[#times + 1] = members[i]:sub(36)
        if parent ~= '' then
            ranges[account .. parent] = true
        end
        ended[#ended + 1] = members[i]
    end
    out[i + 1] = at and '1' or '0'
end
if ended[1] then
    call('HDEL', KEY.flights, unpack(ended))
    schedule()
    for range in pairs(ranges) do
        range_checked(range:sub(1, 34), range:sub(35))
    end
end
return out
