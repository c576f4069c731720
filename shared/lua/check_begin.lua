-- A daemon begins a job: the check is running, and what it shall ask is told.
-- Begun again after a take-over it tells the same and has no second effect.
-- KEYS[1] acct:<AC>
-- ARGV    1 check SID  2 host SID or ""  3 event SID for the started event
--         4 stream (jobs:manual, jobs:due)  5 stream id  6 how long the record
--         is kept (ms)
-- Result  OK, value, family, packed lists {SID, type, custom, zone, website}
--         | GONE (the check is over, its host deleted or its account
--           suspended: the job was acknowledged)
--- include: account
--- include: lists
--- include: finish
local pp, ht = ARGV[1], ARGV[2]
local ck, member = key('check', ac, pp), ac .. ':' .. ht
local a = load(KEYS[1])
local h = ht ~= '' and load(key('r', ac, ht)) or nil
local status, value, family, htype, rp = unpack(redis.call('HMGET', ck,
    'status', 'host', 'family', 'type', 'profile'))
local now = now_ms()

local function gone()
    ack(ARGV[4], ARGV[5])
    return {'GONE'}
end
if status == 'completed' or status == 'failed' or not a then
    return gone()
end
if ht ~= '' then
    if not h or redis.call('HGET', key('flight'), member) ~= pp then
        return gone()
    end
    value, family, htype = h[HOST.value], h[HOST.family], h[HOST.type]
    rp = h[HOST.profile]
elseif not status then
    return gone()
end
if a[ACCOUNT.status] ~= 'active' then
    check_failed(pp, ARGV[6], h, value, 'The account is suspended.')
    if ht ~= '' then
        redis.call('HDEL', key('flight'), member)
        if h[HOST.status] == 'active' then
            h[HOST.next_check] = now + a[ACCOUNT.interval] * 1000
            save(key('r', ac, ht), h)
            redis.call('ZADD', key('due'), h[HOST.next_check], member)
        end
    end
    return gone()
end

local lists = lists_for(rp, htype, tonumber(family))
if status ~= 'running' then
    check_over(pp, ARGV[6], 'status', 'running', 'host', value, 'host_id', ht,
        'started', now, 'total', #lists)
    if ht ~= '' and wants_events() then
        emit({id = ARGV[3], type = 'rbl.host.check.started', date = now,
            check = pp, host = cmsgpack.pack(h), value = value, hooks = 1,
            callbacks = {}, results = cmsgpack.pack({}), listed = 0, total = 0,
            timezone = a[ACCOUNT.timezone]})
    end
end
return {'OK', value, tonumber(family), cmsgpack.pack(lists)}
