-- Takes digests whose window is over: each becomes states (_states.lua), so
-- that what comes from now on is for the next one, and is leased; a daemon that
-- dies leaves it to another, with the same event if it still says the same.  A
-- contact is told nothing new before all that was made for it is over.  A
-- digest without a contact that may be told ends; what that knows as listed is
-- kept for when it is resumed.
-- KEYS[1] digests
-- ARGV    1 window (ms)  2 lease (ms)  3 how many hosts are told at most
--         4... an event SID for each digest that may be taken
-- Result  OK, ms until there may be another (-1: none is waiting), then for
--         each: "<AC>:<CO>", type of the contact, event SID, time zone, numbers
--         of hosts listed, delisted, clear, those that are told as an array of
--         packed record and state (0 listed, 1 delisted, 2 clear, 3 not
--         reported any more), the packed records of their lists, number of
--         hosts that are not reported any more, event SID of the alert that has
--         many of them ("": there is none), 1 if it ends now
--- include: base
--- include: digest
--- include: states
--- use: host contact account
local window, lease = tonumber(ARGV[1]), tonumber(ARGV[2])
local now, most = now_ms(), tonumber(ARGV[3])
local out = {'OK', -1}
local co
local function again(ms)
    call('ZADD', KEYS[1], tostring(now - window + ms), ac .. ':' .. co)
end
-- Lists that these hosts are on, each once.
local function lists_of(hosts)
    local keys, seen = {}, {}
    for _, h in ipairs(hosts) do
        for _, l in ipairs(h[HOST.details]) do
            if not seen[l[1]] then
                seen[l[1]] = true
                keys[#keys + 1] = key('r', 'SYS', l[1])
                keys[#keys + 1] = key('r', ac, l[1])
            end
        end
    end
    local found = {}
    for i = 1, #keys, 2 do
        found[#found + 1] = call('GET', keys[i]) or call('GET', keys[i + 1])
            or nil
    end
    return found
end
-- A record of a host that is told of by name alone: "<HT>|<address>|<name>".
local function by_name(member)
    local sid, value, name = string.match(member, '^(HT%x+)|([^|]*)|(.*)$')
    return sid and cmsgpack.pack({1, sid, value, name, '', 0, '', '', '', {},
        0, 0, 0, 0, 0, 0, {}})
end
local function record_of(member, state)
    local raw = state == 3 and by_name(member)
        or call('GET', key('r', ac, member))
    local known = not raw and state == 1
        and call('HGET', key('open', ac, co), member)
    if known then
        raw = by_name(member .. '|' .. name_of(known))
    end
    local h = raw and cmsgpack.unpack(raw)
    return raw, h
end
-- The hosts of a batch, from its first one on; those that were clear before
-- come last.  Of one that was deleted since, or a listing that is over since,
-- nothing is told: the next digest has that.
local function told_of(batch, counts)
    local told, listed, less = {}, {}, false
    local function add(from, to)
        local rows = call('ZRANGE', batch, from, to, 'BYSCORE', 'LIMIT', 0,
            most - #told / 2, 'WITHSCORES')
        for i = 1, #rows, 2 do
            local state = math.floor(tonumber(rows[i + 1]) / digest_state)
            local raw, h = record_of(rows[i], state)
            if not h or state == 0 and h[HOST.listed_count] == 0 then
                counts[state] = counts[state] - 1
                call('ZREM', batch, rows[i])
                less = true
            else
                if state == 0 then
                    listed[#listed + 1] = h
                end
                told[#told + 1] = raw
                told[#told + 1] = state
            end
        end
    end
    add(0, '(' .. tostring(digest_clear))
    add(tostring(digest_unreported), '+inf')
    add(tostring(digest_clear), '(' .. tostring(digest_unreported))
    return told, lists_of(listed), less
end
-- The alert that has many hosts, and does it end with this batch?
local function storm_of(batch, counts)
    local open = key('open', ac, co)
    local storm = call('HGET', open, 'storm') or ''
    if storm == '' or counts[0] > 0 then
        return storm, 0
    end
    local left = call('HLEN', open) - 1
    for _, member in ipairs(call('ZRANGE', batch, 1, -1)) do
        left = left - call('HEXISTS', open, member:sub(1, 34))
    end
    return storm, left == 0 and 1 or 0
end
local function claim(event)
    local digest, batch = key('digest', ac, co), key('batch', ac, co)
    local contact, account = load(key('r', ac, co)), load(key('acct', ac))
    if not account or not contact or contact[CONTACT.status] ~= 'active' then
        call('UNLINK', digest, batch)
        call('ZREM', KEYS[1], ac .. ':' .. co)
        return
    end
    if call('EXISTS', key('line', ac, co)) == 1 then
        return again(math.min(window, 5000))
    end
    if call('EXISTS', batch) == 0 then
        states_make(co, contact, event, most, now)
    end
    if call('EXISTS', batch) == 0 then
        if call('EXISTS', digest) == 1 then
            return again(window)
        end
        call('ZREM', KEYS[1], ac .. ':' .. co)
        return
    end
    local counts = {}
    for state = 0, 3 do
        counts[state] = call('ZCOUNT', batch, tostring(state * digest_state),
            '(' .. tostring((state + 1) * digest_state))
    end
    again(lease)
    local told, lists, less = told_of(batch, counts)
    -- What was claimed before says more: whoever has that comes too late.
    if less then
        call('ZREM', batch, call('ZRANGE', batch, 0, 0)[1])
        call('ZADD', batch, -1, event)
    end
    local storm, ends = storm_of(batch, counts)
    out[#out + 1] = {ac .. ':' .. co, contact[CONTACT.type],
        call('ZRANGE', batch, 0, 0)[1], account[ACCOUNT.timezone],
        counts[0], counts[1], counts[2], told, lists, counts[3], storm, ends}
end
-- What cannot be read waits for who mends it.
local due = call('ZRANGE', KEYS[1], '-inf', tostring(now - window),
    'BYSCORE', 'LIMIT', 0, #ARGV - 3)
for i, member in ipairs(due) do
    ac, co = string.match(member, '^(AC%x+):(CO%x+)$')
    if not ac then
        call('ZREM', KEYS[1], member)
    elseif not pcall(claim, ARGV[3 + i]) then
        again(lease)
    end
end
local first = call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if first[2] then
    out[2] = math.max(0, tonumber(first[2]) + window - now)
end
return out
