-- Takes deliveries whose time has come; each is leased and comes back by
-- itself if the daemon that took it dies.  Deliveries of a receiver that is
-- gone or disabled end as dead letters.
-- KEYS[1] retry
-- ARGV    1 how many at most  2 lease (ms)
-- Result  OK, ms until the next (-1: none), then for each delivery an array:
--         member, type, URL, secret, attempt (0 = first), first (ms), event
--         SID, body
--- include: base
--- include: delivery
--- use: hook app
local now = now_ms()
local due = call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0,
    ARGV[1])
local out = {'OK', -1}
for _, member in ipairs(due) do
    local ac, ev, target = string.match(member, '^(%w+):(%w+):(%w+)$')
    local d = call('HMGET', key('dlv', ac, ev, target), 'url', 'app',
        'attempt', 'first')
    local e = call('HMGET', key('event', ac, ev), 'type', 'body')
    local url, secret = d[1], nil
    if target:sub(1, 2) == 'WH' then
        local hook = load(key('r', ac, target))
        if hook and hook[HOOK.status] == 'active' then
            url, secret = hook[HOOK.url], hook[HOOK.secret]
        end
    else
        local app = load(key('r', ac, d[2] or ''))
        secret = app and app[APP.secret]
    end
    if d[3] and e[2] and secret then
        call('ZADD', KEYS[1], now + ARGV[2], member)
        out[#out + 1] = {member, e[1], url, secret, tonumber(d[3]),
            tonumber(d[4]), ev, e[2]}
    else
        if d[3] and e[2] then
            delivery_dead(ac, ev, target, 0, 'the receiver is disabled', d[3])
        end
        delivery_over(ac, ev, target, member)
    end
end
local first = call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if first[2] then
    out[2] = math.max(0, tonumber(first[2]) - now)
end
return out
