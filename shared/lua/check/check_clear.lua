-- Finishes scheduled checks that found every list clear, of hosts that have no
-- listings and no trouble, and that nobody is notified of: only their times
-- change.  Most checks finish this way; it is done for several at once.
--- key: flights  flight:due
--- arg: member flight interval asks...  of each check: "<AC>:<HT>", its flight
--          as check_begin left it, seconds between the checks of the host, and
--          `asks` of check_finish
--- reply: OK  then for each "1", or "0": nothing was done, check_finish has to
--          be asked; only that gets to know the lists of a class
--- include: base
--- include: of
--- include: due
--- include: checked
--- use: host
local now = now_ms()
-- Of the account: which lists answered; `asks` and class of the check that was
-- noted last.  Of the check before: `asks`, the record behind the times.
local coverage, noted, noted_class, asks_before, rest

-- The host's next time (text), and its parent; nothing: its check does not
-- finish here.
local function clear(hk, raw, ht, flight, interval, asks)
    --- include: host_fields
    local details, troubled, uncovered, stopped, tag = raw:byte(to + 1, to + 5)
    if status ~= 'active' or listed ~= 0 or details ~= 144
        or (troubled or 144) ~= 144 or uncovered == 1 or (stopped or 0) ~= 0
        or tag and tag ~= 217 and (tag < 160 or tag > 191)
    then
        return
    end
    if asks ~= asks_before then
        --- include: answers
        asks_before, rest = asks, '\144\144\0\0' .. cmsgpack.pack(answers)
    end
    --- include: coverage_class
    local is_noted = asks == '' or asks == noted and class == noted_class
    if not is_noted and not place then
        return
    end
    local next_check = next_time(ht, now, interval)
    local at, till, length = tostring(next_check), flight:sub(70, 82), nil
    if unknown > 0 or checked == 0 then
        --- include: state
        state_move(ht, state_unknown, 0)
    end
    -- As cmsgpack would: two times of eight octets.
    local fields = struct.pack('>BI8BBBBI8', 207, now, 0, 0, 0, 207, next_check)
        .. rest
    if #raw == to + #rest and tag == rest:byte(5) then
        to = #raw
    else
        length = raw:byte(3)
        to = to + math.min(4, length - HOST.details + 1)
        if length >= HOST.answers then
            to = to + (tag == 217 and 2 + raw:byte(to + 2) or tag - 159)
        end
        length = length < HOST.answers and HOST.answers or nil
    end
    --- include: host_patch
    --- include: turn
    if not is_noted then
        noted, noted_class = asks, class
        --- include: coverage_note
    end
    return at, parent
end

-- One alone needs no tables.
local n = (#ARGV - ARG.before) / ARG.each
if n == 1 then
    local member, flight, interval, asks = unpack(ARGV, ARG.before + 1)
    local hk, ht = base .. 'r:' .. member, member:sub(36)
    ac = member:sub(1, 34)
    local raw, version, last, meter, covers = unpack(call('MGET', hk,
        base .. 'unchanged:' .. ac, base .. 'checked:' .. ac,
        base .. 'meter:' .. ac, base .. 'coverage:' .. ac))
    coverage = covers
    if not raw or call('HGET', KEY.flights, member) ~= flight then
        return {'OK', '0'}
    end
    if version then
        --- include: unchanged
        hosts_change()
    end
    local at, parent = clear(hk, raw, ht, flight, interval, asks)
    if not at then
        return {'OK', '0'}
    end
    call('HDEL', KEY.flights, member)
    call('ZADD', base .. 'due:' .. ac, at, ht)
    checked_at(last, now, interval)
    if parent ~= '' then
        --- include: range_checked
        range_checked(parent, now, 0)
    end
    if meter then
        local paid = 1
        --- include: charge
    end
    return {'OK', '1'}
end

local members, accounts, keys, stamps = {}, {}, {}, {}
for i = 1, n do
    members[i] = ARGV[ARG.member + ARG.each * i]
    accounts[i] = members[i]:sub(1, 34)
    keys[i] = base .. 'r:' .. members[i]
end
for i = 1, n do
    local account = accounts[i]
    if account ~= accounts[i - 1] then
        stamps[account] = #keys + 1
        keys[#keys + 1] = base .. 'unchanged:' .. account
        keys[#keys + 1] = base .. 'checked:' .. account
        keys[#keys + 1] = base .. 'meter:' .. account
        keys[#keys + 1] = base .. 'coverage:' .. account
    end
end
local flights = call('HMGET', KEY.flights, unpack(members))
local raws = call('MGET', unpack(keys))
-- Hosts of one account that follow each other are scheduled together.
local out, finished, times, ranges, last, interval, meter = {'OK'}, {}, {}, {}
local function schedule()
    if times[1] then
        call('ZADD', base .. 'due:' .. ac, unpack(times))
        checked_at(last, now, interval)
        if meter then
            local paid = #times / 2
            --- include: charge
        end
        times = {}
    end
end
for i = 1, n do
    local flight, at, parent = ARGV[ARG.flight + ARG.each * i], nil, nil
    if accounts[i] ~= ac then
        schedule()
        ac, interval = accounts[i], ARGV[ARG.interval + ARG.each * i]
        last, meter = raws[stamps[ac] + 1], raws[stamps[ac] + 2]
        coverage, noted = raws[stamps[ac] + 3], nil
        if raws[stamps[ac]] then
            --- include: unchanged
            hosts_change()
        end
    end
    if raws[i] and flights[i] == flight then
        at, parent = clear(keys[i], raws[i], members[i]:sub(36), flight,
            ARGV[ARG.interval + ARG.each * i], ARGV[ARG.asks + ARG.each * i])
    end
    if at then
        times[#times + 1] = at
        times[#times + 1] = members[i]:sub(36)
        finished[#finished + 1] = members[i]
        if parent ~= '' then
            ranges[ac .. parent] = true
        end
    end
    out[i + 1] = at and '1' or '0'
end
if finished[1] then
    call('HDEL', KEY.flights, unpack(finished))
    schedule()
    --- include: range_checked
    for range in pairs(ranges) do
        ac = range:sub(1, 34)
        range_checked(range:sub(35), now, 0)
    end
end
return out
