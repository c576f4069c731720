-- Ends scheduled checks that found every list clear that was asked, of hosts
-- that are on none, without trouble before, and of which nobody hears: all that
-- changes is when they were checked and when they will be again.  This is what
-- the store does most; it is done for several checks at once.
-- KEYS[1] flight:due
-- ARGV    for each check "<AC>:<HT>", its flight as check_begin left it,
--         seconds between the checks of the host
-- Result  OK, then for each "1", or "0": nothing was done, check_finish has to
--         be asked
--- include: base
--- include: of
--- include: due
--- use: host
local now = now_ms()
local out, members, accounts, keys = {'OK'}, {}, {}, {}
local n = #ARGV / 3
for i = 1, n do
    local member = ARGV[3 * i - 2]
    members[i] = member
    accounts[i] = member:sub(1, 34)
    keys[i] = base .. 'r:' .. member
end
-- The accounts' marks come with the records: most have none.
for i = 1, n do
    if accounts[i] ~= accounts[i - 1] then
        keys[#keys + 1] = base .. 'unchanged:' .. accounts[i]
    end
end
local flights = call('HMGET', KEYS[1], unpack(members))
local raws = call('MGET', unpack(keys))
for i = n + 1, #keys do
    if raws[i] then
        call('DEL', keys[i])
    end
end
-- Hosts of one account that follow each other are scheduled together.
local ended, times, ranges = {}, {}, nil
local function schedule(sid)
    call('ZADD', base .. 'due:' .. sid, unpack(times))
    times = {}
end
for i = 1, n do
    local raw = flights[i] == ARGV[3 * i - 1] and raws[i]
    local from, to, _, parent, status, count, before
    if raw then
        -- Up to `created`, and from `checked` to `details`.
        from, _, _, _, _, _, _, parent, status =
            cmsgpack.unpack_limit(raw, HOST.checked - 1, 3)
        to, _, _, count, _, _, before =
            cmsgpack.unpack_limit(raw, HOST.details - HOST.checked + 1, from)
    end
    -- A list that has trouble is `troubled`, behind them: no empty array.
    if raw and status == 'active' and count == 0 and #before == 0
        and (to < 0 or raw:byte(to + 1) == 144)
    then
        local ht = members[i]:sub(36)
        local next_check = next_time(ht, now, ARGV[3 * i])
        local at = tostring(next_check)
        -- From `checked` on, as cmsgpack would: two times of eight octets, and
        -- an empty array.
        local fields = struct.pack('>BI8BBBBI8B', 207, now, 0, 0, 0, 207,
            next_check, 144)
        to = to > 0 and to or #raw
        if #fields == to - from then
            call('SETRANGE', keys[i], from, fields)
        else
            call('SET', keys[i], raw:sub(1, from) .. fields
                .. raw:sub(to + 1))
        end
        local account = accounts[i]
        if times[1] and account ~= ac then
            schedule(ac)
        end
        ac = account
        times[#times + 1] = at
        times[#times + 1] = ht
        -- The account's turn is not later than the end of the lease.
        if at < ARGV[3 * i - 1]:sub(70, 82) then
            call('ZADD', key('due'), 'LT', at, ac)
        end
        if parent ~= '' then
            ranges = ranges or {}
            ranges[key('r', ac, parent)] = true
        end
        ended[#ended + 1] = members[i]
        out[i + 1] = '1'
    else
        out[i + 1] = '0'
    end
end
if #ended > 0 then
    call('HDEL', KEYS[1], unpack(ended))
    schedule(ac)
    for k in pairs(ranges or {}) do
        local range = load(k)
        if range then
            range[HOST.checked] = now
            save(k, range)
        end
    end
end
return out
