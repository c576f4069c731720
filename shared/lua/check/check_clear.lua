-- Finishes scheduled checks that found every list clear, of hosts that have no
-- listings and no trouble, and that nobody is notified of: only their times
-- change.  Most checks finish this way; it is done for several at once.
--- key: flights  flight:due
--- arg: member flight interval asks...  of each check: "<AC>:<HT>", its flight
--          as check_begin left it, seconds between the checks of the host, and
--          `asks` of check_finish
--- reply: OK  then for each "1", or "0": nothing was done, check_finish has to
--          be asked; only that gets to know the lists of a class
--- include: of
--- include: due
local now = now_ms()
-- Of the account: `coverage` if it was read; "checked" as it is to be.  Of the
-- check before: its mark there (_checked.lua), `asks`, the record behind the
-- times.
local coverage, noted, mark_before, asks_before, rest

-- One alone needs no tables.
local n = (#ARGV - ARG.before) / ARG.each
if n == 1 then
    local member, flight, interval, asks = unpack(ARGV, ARG.before + 1)
    local hk, ht, at, range = base .. 'r:' .. member, member:sub(36), nil, nil
    ac = member:sub(1, 34)
    local raw, version, last, meter = unpack(call('MGET', hk,
        base .. 'unchanged:' .. ac, base .. 'checked:' .. ac,
        base .. 'meter:' .. ac))
    if not raw or call('HGET', KEY.flights, member) ~= flight then
        return {'OK', '0'}
    end
    if version then
        --- include: unchanged
        hosts_change()
    end
    --- include: checked
    --- include: clear
    if not at then
        return {'OK', '0'}
    end
    call('HDEL', KEY.flights, member)
    call('ZADD', base .. 'due:' .. ac, at, ht)
    if noted ~= last then
        call('SET', base .. 'checked:' .. ac, noted)
    end
    if range ~= '' then
        --- include: range_checked
        range_checked(range, now, 0)
    end
    if meter then
        local paid = 1
        --- include: charge
    end
    return {'OK', '1'}
end

-- Hosts of one account that follow each other are scheduled together; before
-- their records are read, what belongs to it.
local members, accounts, keys, n_keys = {}, {}, {}, 0
for i = 1, n do
    local member = ARGV[ARG.member + ARG.each * i]
    local account = member:sub(1, 34)
    if account ~= accounts[i - 1] then
        keys[n_keys + 1] = base .. 'unchanged:' .. account
        keys[n_keys + 2] = base .. 'checked:' .. account
        keys[n_keys + 3] = base .. 'meter:' .. account
        n_keys = n_keys + 3
    end
    n_keys = n_keys + 1
    members[i], accounts[i] = member, account
    keys[n_keys] = base .. 'r:' .. member
end
local flights = call('HMGET', KEY.flights, unpack(members))
local raws, k = call('MGET', unpack(keys)), 0
local out, finished, n_finished, ranges = {'OK'}, {}, 0, {}
local times, n_times, last, meter = nil, 0
for i = 1, n + 1 do
    if accounts[i] ~= ac then
        --- include: clear_account
        if i > n then
            break
        end
    end
    k = k + 1
    local raw, hk, flight, at, range = raws[k], keys[k],
        ARGV[ARG.flight + ARG.each * i], nil, nil
    if raw and flights[i] == flight then
        local ht, interval, asks = members[i]:sub(36),
            ARGV[ARG.interval + ARG.each * i], ARGV[ARG.asks + ARG.each * i]
        --- include: clear
        if at then
            times[n_times + 1], times[n_times + 2] = at, ht
            n_times, n_finished = n_times + 2, n_finished + 1
            finished[n_finished] = members[i]
            if range ~= '' then
                ranges[ac .. range] = true
            end
        end
    end
    out[i + 1] = at and '1' or '0'
end
if n_finished > 0 then
    call('HDEL', KEY.flights, unpack(finished))
end
if next(ranges) then
    --- include: range_checked
    for range in pairs(ranges) do
        ac = range:sub(1, 34)
        range_checked(range:sub(35), now, 0)
    end
end
return out
