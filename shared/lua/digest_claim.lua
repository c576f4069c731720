-- Takes digests whose window is over: each is frozen, so that what comes from
-- now on is for the next one, and leased; a daemon that dies leaves it to
-- another, with the same event.  A contact is told nothing new before all that
-- was made for it is over.  A digest without a contact that may be told ends.
-- KEYS[1] digests
-- ARGV    1 window (ms)  2 lease (ms)  3 how many hosts are told at most
--         4... an event SID for each digest that may be taken
-- Result  OK, ms until there may be another (-1: none is waiting), then for
--         each: "<AC>:<CO>", type of the contact, event SID, time zone, numbers
--         of hosts listed, delisted, clear, those that are told as an array of
--         packed record and state (0 listed, 1 delisted, 2 clear, 3 not
--         reported any more), the packed records of their lists, number of
--         hosts that are not reported any more
--- include: base
--- include: digest
--- use: host contact account
local now, window, lease = now_ms(), tonumber(ARGV[1]), tonumber(ARGV[2])
local out = {'OK', -1}
local ac, co
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
-- A record of a host that is told of by name alone.
local function by_name(member)
    local sid, value, name = string.match(member, '^(HT%x+)|([^|]*)|(.*)$')
    return sid and cmsgpack.pack({1, sid, value, name, '', 0, '', '', '', {},
        0, 0, 0, 0, 0, 0, {}})
end
-- The hosts of a batch, from its first one on; those that were clear before
-- come last.  One that was deleted is told nothing of, nor is a listing that
-- is over: the next digest has its end.
local function hosts_of(batch, counts)
    local told, listed = {}, {}
    local function add(from, to)
        local rows = call('ZRANGE', batch, from, to, 'BYSCORE', 'LIMIT', 0,
            ARGV[3] - #told / 2, 'WITHSCORES')
        for i = 1, #rows, 2 do
            local state = math.floor(tonumber(rows[i + 1]) / digest_state)
            local raw = state == 3 and by_name(rows[i])
                or call('GET', key('r', ac, rows[i]))
            local h = raw and cmsgpack.unpack(raw)
            if not h or state == 0 and h[HOST.listed_count] == 0 then
                counts[state + 1] = counts[state + 1] - 1
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
    add(tostring(digest_unreported), '(' .. tostring(digest_rest))
    add(tostring(digest_clear), '(' .. tostring(digest_unreported))
    return told, lists_of(listed)
end
-- Where each host is a message of its own, an end that is not told ends
-- nothing: those that are too many for this time are for the next.
local function keep_ends(batch, digest)
    local ends = call('ZRANGE', batch, tostring(digest_delisted),
        '(' .. tostring(digest_clear), 'BYSCORE', 'WITHSCORES')
    for _, row in ipairs(call('ZRANGE', batch, tostring(digest_unreported),
        '(' .. tostring(digest_rest), 'BYSCORE', 'WITHSCORES'))
    do
        ends[#ends + 1] = row
    end
    local room = math.max(0, ARGV[3]
        - call('ZCOUNT', batch, 0, '(' .. tostring(digest_delisted)))
    for i = 2 * room + 1, #ends, 2 do
        call('ZADD', digest, ends[i + 1], ends[i])
        call('ZREM', batch, ends[i])
    end
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
        if call('EXISTS', digest) == 0 then
            call('ZREM', KEYS[1], ac .. ':' .. co)
            return
        end
        call('RENAME', digest, batch)
        call('ZADD', batch, -1, event)
        if contact[CONTACT.type] == 'pagerduty' then
            keep_ends(batch, digest)
        end
    end
    local counts = {
        call('ZCOUNT', batch, 0, '(' .. tostring(digest_delisted)),
        call('ZCOUNT', batch, tostring(digest_delisted),
            '(' .. tostring(digest_clear)),
        call('ZCOUNT', batch, tostring(digest_clear),
            '(' .. tostring(digest_unreported)),
        call('ZCOUNT', batch, tostring(digest_unreported),
            '(' .. tostring(digest_rest)),
    }
    local rest = call('ZRANGE', batch, tostring(digest_rest), '+inf', 'BYSCORE',
        'WITHSCORES')
    for i = 2, #rest, 2 do
        counts[4] = counts[4] + tonumber(rest[i]) - digest_rest
    end
    again(lease)
    local told, lists = hosts_of(batch, counts)
    out[#out + 1] = {ac .. ':' .. co, contact[CONTACT.type],
        call('ZRANGE', batch, 0, 0)[1], account[ACCOUNT.timezone],
        counts[1], counts[2], counts[3], told, lists, counts[4]}
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
