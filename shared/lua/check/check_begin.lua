-- A daemon begins a job: the check is running, and what it shall ask is told.
-- Begun again after a take-over it tells the same and has no second effect.
--
-- A host that is due begins only while the daemon that took it has it: its time
-- in the schedule is then the end of that lease.  Its check has the SID that
-- the daemon gives it, or that of an earlier attempt which did not end.  No
-- record is made of a check that nobody will hear of unless it finds something.
--- key: acct  acct:<AC>
--- arg: job  its handle: of a manual check that of check_take; of a host
--          "<AC>:<PP>:<HT>:d:<end of the lease>:<the daemon's name>"
--- arg: keep  how long the record is kept (ms)
--- arg: sum  of the system lists that the daemon knows, or ""
--- arg: leave  whether a host may begin whose check ended two daemons, or was
--          beside what did: "1", "0" (it is asked again), "" (not now: it is
--          due again in a moment)
--- reply: OK value family# lists interval# standing htype events check times#
---   now# checked# troubled pending
-- lists: packed {SID, type, custom, zone, website}, or "": the system lists
-- that take the host's type and the family.  interval: seconds between the
-- checks of a host.  standing: its listings, packed {SID, zone, cleared}, or
-- "".  htype: its type, or "" (every type).  events: "0" if they go to nobody
-- and it has no record that must end.  check: its SID.  times: how often it was
-- begun (0: a manual one).  now: ms.  checked: when the host was checked last
-- (ms, 0: never).  troubled, pending: SIDs of its lists that have trouble, and
-- of those with a new listing that is not confirmed (_begun.lua).
--- reply: ALONE  nothing was done: only with leave
--- reply: GONE  nothing is to be done: the check is over or another's, its host
--          deleted or its account suspended, and the lease has ended; or the
--          lease was over before
--- include: job
--- include: unchanged
--- include: lists
--- include: due
--- include: failed
--- include: hears
--- include: begun
local a = load(KEY.acct)
local raw = hk and call('GET', hk)
local h = raw and cmsgpack.unpack(raw)
local now = now_ms()

local function gone()
    release()
    return {'GONE'}
end
local mark = ':'
if due and by then
    pp, mark = by:sub(1, 66), by:sub(67, 67)
end
local ck = key('check', ac, pp)
local status, value, family, htype, rp
if not due or by then
    status, value, family, htype, rp = unpack(call('HMGET', ck, 'status',
        'host', 'family', 'type', 'profile'))
end
-- Whoever has asked for it hears that it will not be done.
local function lost()
    if a and (status == 'queued' or status == 'running') then
        check_failed(pp, ARG.keep, h, value, 'The check was lost.')
    elseif not a then
        call('PEXPIRE', ck, ARG.keep)
    end
    return gone()
end
if not a or hk and not h then
    if hk then
        due_never(ht)
        call('HDEL', flight, member)
    end
    return lost()
end

local times, taken = 0, nil
if due then
    local lease = job:sub(140)
    local till = lease:match('^%d+')
    -- Begun when its lease is over it would be let go at once, and count as a
    -- try; it is due again by now.
    if call('ZSCORE', key('due', ac), ht) ~= till or tonumber(till) <= now then
        return gone()
    end
    times = 1
    if by then
        times = tonumber(by:sub(68, 68)) or 1
        if by:sub(70) ~= lease then
            if times == 2 and ARG.leave ~= '1' then
                if ARG.leave == '0' then
                    return {'ALONE'}
                end
                due_at(ht, now + 1000)
                return gone()
            end
            times = math.min(times + 1, 9)
        end
    elseif h[HOST.status] ~= 'active' then
        due_never(ht)
        return gone()
    end
    taken = pp .. mark .. times .. ':' .. lease
end

if not due and (status == 'completed' or status == 'failed'
    or hk and by ~= pp or not hk and not status)
then
    return lost()
end
-- So it is with a manual one; its lease stays, for whoever takes it over.
local lease_end = not due and tonumber(call('ZSCORE', key('leases'), job))
if lease_end and lease_end <= now then
    return {'GONE'}
end
if h then
    value, family, htype = h[HOST.value], h[HOST.family], h[HOST.type]
    rp = h[HOST.profile]
elseif call('EXISTS', key('r', ac, rp)) == 0 then
    -- Nothing keeps the profile of a one-off.
    rp = a[ACCOUNT.profile]
end
if a[ACCOUNT.status] ~= 'active' then
    if not due or status or mark ~= ':' then
        check_failed(pp, ARG.keep, h, value, 'The account is suspended.')
    end
    if h then
        call('HDEL', flight, member)
        if h[HOST.status] == 'active' then
            h[HOST.next_check] = next_time(ht, now, a[ACCOUNT.interval])
            hosts_change()
            save(hk, h)
            due_at(ht, h[HOST.next_check])
        else
            due_never(ht)
        end
    end
    return gone()
end

local lists, total = lists_for(rp, htype, tonumber(family), ARG.sum)
local events = h and wants_events()
local heard = events or h and hears_any(false)
if taken and taken ~= by then
    call('HSET', flight, member, taken)
end
if status ~= 'running'
    and (not due or heard or total == 0 or mark ~= ':' or status)
then
    call('HSET', ck, 'status', 'running', 'host', value, 'host_id', ht,
        'started', now, 'total', total)
    if not status then
        keep_ended(ck, ARG.keep)
    end
    if events then
        emit(a[ACCOUNT.timezone], started_sid(pp), 'rbl.host.check.started',
            now, pp, event_host(h), value, false, 0, no_results, 1,
            no_callbacks, '')
    end
elseif status == 'running' then
    call('HSET', ck, 'total', total)
end
return {'OK', value, tonumber(family), lists, a[ACCOUNT.interval],
    h and begun_standing(h[HOST.details]) or '', htype,
    (heard or due and status) and '1' or '0', pp, times, now,
    h and h[HOST.checked] or 0, begun_troubled(h and h[HOST.troubled])}
