-- Stores the messages of a digest, each with its delivery, and the digest is
-- over: all at once, so that nothing is told twice or never.  They go out one
-- after the other.  Run again it has no second effect.
-- KEYS[1] digests
-- ARGV    1 "<AC>:<CO>"  2 event SID that digest_claim gave
--         3 messages that the contact may get a minute
--         4... for each message its event SID, its body, and the SID of its
--         host if it tells of one listed host alone, or ""
-- Result  OK, number of deliveries | STALE (it is over, or another's)
--         | GONE (the contact may not be told any more)
--- include: base
--- include: digest
--- use: contact host
local now = now_ms()
local ac, co = string.match(ARGV[1], '^(%w+):(%w+)$')
local batch, line = key('batch', ac, co), key('line', ac, co)
if tonumber(call('ZSCORE', batch, ARGV[2])) ~= -1 then
    return {'STALE'}
end
local contact = load(key('r', ac, co))
if not contact or contact[CONTACT.status] ~= 'active' then
    call('UNLINK', batch, key('digest', ac, co))
    call('ZREM', KEYS[1], ARGV[1])
    return {'GONE'}
end
local open, on_the_way = key('open', ac, co), key('ends', ac, co)
-- Until that has been told: who is paused before hears of it when resumed.
local function ends_keep(drop)
    local ends = {}
    local function keep(id)
        local told = call('HGET', open, id)
        if told then
            ends[#ends + 1] = id
            ends[#ends + 1] = told
        end
    end
    for _, id in ipairs(drop) do
        keep(id)
    end
    if ends[1] then
        keep('storm')
    end
    in_parts('HSET', on_the_way, ends)
end
-- What the contact knows from now on: of what it is told to have ended also if
-- it hears of no ends any more.
local function known(hears)
    local put, drop = {}, {}
    local rows = call('ZRANGE', batch, 1, -1, 'WITHSCORES')
    for i = 1, #rows, 2 do
        local state = math.floor(tonumber(rows[i + 1]) / digest_state)
        if state == 0 and hears then
            local sound, h = pcall(load, key('r', ac, rows[i]))
            put[#put + 1] = rows[i]
            put[#put + 1] = rows[i + 1] .. '|' .. (sound and h
                and h[HOST.value] .. '|' .. h[HOST.name] or '|')
        elseif state % 2 == 1 then
            drop[#drop + 1] = rows[i]:sub(1, 34)
        end
    end
    ends_keep(drop)
    in_parts('HSET', open, put)
    in_parts('HDEL', open, drop)
    if digest_per_host_of(contact) and #put / 2 > digest_per_host then
        call('HSETNX', open, 'storm', ARGV[2])
    elseif call('HLEN', open) == 1 then
        call('HDEL', open, 'storm')
    end
end
known(digest_hears_ends(contact))
call('UNLINK', batch)
if call('EXISTS', key('digest', ac, co)) == 1 then
    call('ZADD', KEYS[1], tostring(now), ARGV[1])
else
    call('ZREM', KEYS[1], ARGV[1])
end
-- A minute's messages may go at once, then one each time that a place is free.
-- `busy`: when all that were sent before would be, one at a time.
local space = 60000 / ARGV[3]
local pace = key('pace', ac, co)
local busy = math.max(tonumber(call('GET', pace)) or 0, now)
local n = 0
for i = 4, #ARGV, 3 do
    local ev, at = ARGV[i], math.max(now, math.floor(busy + space - 60000))
    busy = busy + space
    call('HSET', key('event', ac, ev), 'type', 'contact.trigger', 'date', now,
        'body', ARGV[i + 1], 'open', 1)
    call('HSET', key('dlv', ac, ev, co), 'attempt', 0, 'first', now,
        'at', tostring(at), 'host', ARGV[i + 2])
    if call('RPUSH', line, ev) == 1 then
        call('ZADD', key('retry'), tostring(at), ARGV[1]:sub(1, 35) .. ev
            .. ':' .. co)
    end
    n = n + 1
end
if n > 0 then
    call('SET', pace, string.format('%.0f', busy), 'PX',
        math.ceil(busy - now) + 1)
else
    call('DEL', on_the_way)
end
return {'OK', n}
