-- Queues a manual check of a host of the account, or of a one-off value.  A
-- check of that host that is queued or running already is returned instead; a
-- callback given is added to it.
-- KEYS[1] acct:<AC>
-- ARGV    1 check SID  2 host SID or ""  3 value (one-off)  4 family (one-off)
--         5 callback URL or ""  6 application SID  7 how long the record is
--         kept (ms)
-- Result  OK, check SID, status, value, total, packed lists {SID, type,
--         custom, zone, website} | HOST | RANGE (a range is not checked)
--         | CALLBACKS, how many a check may have at most | ACCOUNT
--- include: account
--- include: lists
--- use: account host
local pp, ht, value, family = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local htype, status = '', 'queued'
local flight, member = key('flight'), ac .. ':' .. ht
local rp
if ht ~= '' then
    local h = owns('hosts', ht) and load(key('r', ac, ht))
    if not h then
        return {'HOST'}
    end
    if h[HOST.type] == 'ip_range' then
        return {'RANGE'}
    end
    value, family, htype = h[HOST.value], h[HOST.family], h[HOST.type]
    rp = h[HOST.profile]
    pp = redis.call('HGET', flight, member) or pp
else
    local a = load(KEYS[1])
    if not a then
        return {'ACCOUNT'}
    end
    rp = a[ACCOUNT.profile]
end

local max_callbacks = 32
local ck = key('check', ac, pp)
local callbacks, known = {}, ARGV[5] == ''
local raw = not known and redis.call('HGET', ck, 'callbacks')
if raw then
    callbacks = cmsgpack.unpack(raw)
end
for _, c in ipairs(callbacks) do
    known = known or (c[1] == ARGV[5] and c[2] == ARGV[6])
end
if not known and #callbacks >= max_callbacks then
    return {'CALLBACKS', max_callbacks}
end

local lists = lists_for(rp, htype, family)
if pp == ARGV[1] or redis.call('EXISTS', ck) == 0 then
    redis.call('HSET', ck, 'status', 'queued', 'host', value, 'host_id', ht,
        'type', htype, 'family', family, 'profile', rp, 'total', #lists)
end
redis.call('HSET', ck, 'full', 1)
keep_for(ck, ARGV[7])
if pp == ARGV[1] then
    if ht ~= '' then
        redis.call('HSET', flight, member, pp)
        redis.call('ZREM', key('due'), member)
    end
    redis.call('XADD', key('jobs:manual'), '*', 'a', ac, 'c', pp, 'h', ht)
else
    status = redis.call('HGET', ck, 'status')
end
if not known then
    callbacks[#callbacks + 1] = {ARGV[5], ARGV[6]}
    redis.call('HSET', ck, 'callbacks', cmsgpack.pack(callbacks))
end
return {'OK', pp, status, value, #lists, cmsgpack.pack(lists)}
