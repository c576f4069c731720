-- A daemon begins a job: the check is running, and what it shall ask is told.
-- Begun again after a take-over it tells the same and has no second effect.
-- KEYS[1] acct:<AC>
-- ARGV    1 the job's handle (check_take)  2 how long the record is kept (ms)
--         3 sum of the system lists that the daemon knows, or ""
-- Result  OK, value, family, packed lists {SID, type, custom, zone, website}
--         or "" (the system lists that take the host's type and the family),
--         seconds between the checks of a host, number of standing listings,
--         host type or "" (every type), "1" if its events go to anybody
--         | GONE (the check is over, its host deleted or its account
--           suspended: the lease has ended)
--- include: job
--- include: lists
--- include: due
--- include: failed
local a = load(KEYS[1])
local raw = hk and call('GET', hk)
local h = raw and cmsgpack.unpack(raw)
local status, value, family, htype, rp = unpack(call('HMGET', ck, 'status',
    'host', 'family', 'type', 'profile'))
local now = now_ms()

local function gone()
    release()
    return {'GONE'}
end
if status == 'completed' or status == 'failed' or not a then
    return gone()
end
if hk then
    if not h or not held(call('HGET', flight, member)) then
        return gone()
    end
    value, family, htype = h[HOST.value], h[HOST.family], h[HOST.type]
    rp = h[HOST.profile]
elseif not status then
    return gone()
end
if a[ACCOUNT.status] ~= 'active' then
    check_failed(pp, ARGV[2], h, value, 'The account is suspended.')
    if h then
        call('HDEL', flight, member)
        if h[HOST.status] == 'active' then
            h[HOST.next_check] = now + a[ACCOUNT.interval] * 1000
            save(hk, h)
            due_at(ht, h[HOST.next_check])
        end
    end
    return gone()
end

local lists, total = lists_for(rp, htype, tonumber(family), ARGV[3])
local events = h and wants_events()
if status ~= 'running' then
    call('HSET', ck, 'status', 'running', 'host', value, 'host_id', ht,
        'started', now, 'total', total)
    keep_for(ck, ARGV[2], not status)
    if events then
        emit(a[ACCOUNT.timezone], started_sid(pp), 'rbl.host.check.started',
            now, pp, raw, value, false, 0, no_results, 1, {}, '')
    end
end
return {'OK', value, tonumber(family), lists, a[ACCOUNT.interval],
    h and #h[HOST.details] or 0, htype, events and '1' or '0'}
