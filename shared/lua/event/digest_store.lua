-- Stores the messages of a digest with their deliveries, and ends the digest,
-- in one step: nothing is reported twice, or never.  The messages go out one
-- after the other.  A second run has no effect.
--- key: digests
--- arg: member  "<AC>:<CO>"
--- arg: claimed  the event SID that digest_claim gave
--- arg: limit  messages that the contact may get a minute
--- arg: event body host...  of each message: its event SID, its body, and the
--          SID of its host if it is about one listed host only, or ""
--- reply: OK n#  deliveries
--- reply: MORE n#  deliveries: call it again, without messages
--- reply: STALE  the digest is over, or another daemon has it
--- reply: GONE  the contact must not get messages now
--- include: of
--- include: known
local now = now_ms()
local co
ac, co = string.match(ARG.member, '^(%w+):(%w+)$')
local batch, line = key('batch', ac, co), key('line', ac, co)
local contact = load(key('r', ac, co))
-- Notes what the contact knows from now on.
local function go_on(n)
    if not known_more(co) then
        call('ZADD', KEY.digests, 0, ARG.member)
        return {'MORE', n}
    end
    call('DEL', key('when', ac, co))
    if call('EXISTS', key('digest', ac, co), key('making', ac, co)) > 0 then
        call('ZADD', KEY.digests, tostring(now), ARG.member)
    else
        call('ZREM', KEY.digests, ARG.member)
    end
    return {'OK', n}
end
if contact and call('ZSCORE', batch, '+' .. ARG.claimed) then
    return go_on(0)
end
if tonumber(call('ZSCORE', batch, ARG.claimed)) ~= -1 then
    return {'STALE'}
end
if not contact or contact[CONTACT.status] ~= 'active' then
    call('UNLINK', batch, key('digest', ac, co), key('making', ac, co))
    call('ZREM', KEY.digests, ARG.member)
    return {'GONE'}
end
call('ZADD', batch, -2, '+' .. ARG.claimed)
call('ZREM', batch, ARG.claimed)
if digest_per_host_of(contact) and call('ZCOUNT', batch, 0,
    '(' .. tostring(digest_delisted)) > digest_per_host
then
    call('HSETNX', key('open', ac, co), 'storm', ARG.claimed)
end
-- "host" of a delivery: the only host that the message reports as listed, "*"
-- for all of the batch, or "".
-- The messages of a minute may go at once, then one as soon as there is room.
-- busy: when all earlier messages would have gone, one at a time.
local space = 60000 / ARG.limit
local pace = key('pace', ac, co)
local busy = math.max(tonumber(call('GET', pace)) or 0, now)
local n = 0
for i = 1, (#ARGV - ARG.before) / ARG.each do
    local ev = ARGV[ARG.event + ARG.each * i]
    local at = math.max(now, math.floor(busy + space - 60000))
    busy = busy + space
    call('HSET', key('event', ac, ev), 'type', 'contact.trigger', 'date', now,
        'body', ARGV[ARG.body + ARG.each * i], 'open', 1)
    local host = ARGV[ARG.host + ARG.each * i]
    if host == '' and ev == ARG.claimed then
        host = '*'
    end
    call('HSET', key('dlv', ac, ev, co), 'attempt', 0, 'first', now,
        'at', tostring(at), 'host', host)
    if call('RPUSH', line, ev) == 1 then
        call('ZADD', key('retry'), tostring(at), ARG.member:sub(1, 35) .. ev
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
