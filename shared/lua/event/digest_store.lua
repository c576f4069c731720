-- Stores the messages of a digest, each with its delivery, and the digest is
-- over: all at once, so that nothing is told twice or never.  They go out one
-- after the other.  Run again it has no second effect.
-- KEYS[1] digests
-- ARGV    1 "<AC>:<CO>"  2 event SID that digest_claim gave
--         3 messages that the contact may get a minute
--         4... for each message its event SID, its body, and the SID of its
--         host if it tells of one listed host alone, or ""
-- Result  OK, number of deliveries | MORE, number of deliveries: call it again,
--         without messages | STALE (it is over, or another's)
--         | GONE (the contact may not be told any more)
--- include: base
--- include: of
--- include: known
--- use: contact
local now = now_ms()
local co
ac, co = string.match(ARGV[1], '^(%w+):(%w+)$')
local batch, line = key('batch', ac, co), key('line', ac, co)
local contact = load(key('r', ac, co))
-- What the contact knows from now on is written.
local function go_on(n)
    if not known_more(co, contact) then
        call('ZADD', KEYS[1], 0, ARGV[1])
        return {'MORE', n}
    end
    if call('EXISTS', key('digest', ac, co), key('making', ac, co)) > 0 then
        call('ZADD', KEYS[1], tostring(now), ARGV[1])
    else
        call('ZREM', KEYS[1], ARGV[1])
    end
    return {'OK', n}
end
if contact and call('ZSCORE', batch, '+' .. ARGV[2]) then
    return go_on(0)
end
if tonumber(call('ZSCORE', batch, ARGV[2])) ~= -1 then
    return {'STALE'}
end
if not contact or contact[CONTACT.status] ~= 'active' then
    call('UNLINK', batch, key('digest', ac, co), key('making', ac, co))
    call('ZREM', KEYS[1], ARGV[1])
    return {'GONE'}
end
call('ZADD', batch, -2, '+' .. ARGV[2])
call('ZREM', batch, ARGV[2])
if digest_per_host_of(contact) and call('ZCOUNT', batch, 0,
    '(' .. tostring(digest_delisted)) > digest_per_host
then
    call('HSETNX', key('open', ac, co), 'storm', ARGV[2])
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
    call('DEL', key('ends', ac, co))
end
return go_on(n)
