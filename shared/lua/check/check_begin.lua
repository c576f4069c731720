-- A daemon starts a check, and gets to know what it has to query.  Run again,
-- after a take-over, it returns the same and has no second effect.
--
-- The check of a host that is due starts only while the daemon has the lease.
-- It has the SID that the daemon gives it, or that of an earlier attempt which
-- did not finish.  It gets no record if nobody will be notified of it unless it
-- finds something.
--- key: acct  acct:<AC>
--- arg: job  its handle: of a manual check that of check_take; of a host
--          "<AC>:<PP>:<HT>:d:<end of the lease>:<the daemon's name>"
--- arg: keep  how long the record is kept (ms)
--- arg: sum  of the system lists that the daemon knows, or ""
--- arg: leave  may a check start that was started by two daemons which did not
--          finish it?  "1", "0" (the reply is ALONE), "" (not now: it is due
--          again in a moment)
--- reply: OK value family# lists interval# standing htype events check times#
---   now# checked# troubled pending answers
-- lists: packed {SID, type, custom, zone, website}, or "": the system lists
-- that take the host's type and the family.  interval: seconds between the
-- checks of a host.  standing: the current listings, packed {SID, zone,
-- cleared}, or "".  htype: its type, or "" (every type).  events: "0" if they
-- have no receiver and the check has no record to finish.  check: its SID.
-- times: how often it was started (0: a manual one).  now: ms.  checked: when
-- the host was checked last (ms, 0: never).  troubled, pending: SIDs of its
-- lists that have trouble, and of those with a new listing that is not
-- confirmed (_begun.lua).  answers: of its record.
--- reply: ALONE  nothing was done: ask again with leave
--- reply: GONE  do nothing: the check has finished or another daemon has it,
--          its host was deleted or its account suspended, and the lease was
--          released; or the lease was over before
--- include: job
--- include: lists
--- include: due
--- include: hears
--- include: wants_events
--- include: begun
local a = load(KEY.acct)
local raw = hk and call('GET', hk)
local h = raw and cmsgpack.unpack(raw)
local now = now_ms()
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

local function gone()
    release()
    return {'GONE'}
end
local function fail(message)
    --- include: failed
    check_failed(pp, ARG.keep, h, value, message)
end
if hk and not (a and h) then
    due_never(ht)
    call('HDEL', flight, member)
end
if not a or hk and not h or not due and (status == 'completed'
    or status == 'failed' or hk and by ~= pp or not hk and not status)
then
    if not a then
        call('PEXPIRE', ck, ARG.keep)
    elseif status == 'queued' or status == 'running' then
        fail('The check was lost.')
    end
    return gone()
end
local times, taken = 0, nil
if due then
    --- include: begin_due
end
-- The lease of a manual check stays if it is over: another daemon takes it
-- over.
local lease_end = not due and tonumber(call('ZSCORE', key('leases'), job))
if lease_end and lease_end <= now then
    return {'GONE'}
end
if h then
    value, family, htype = h[HOST.value], h[HOST.family], h[HOST.type]
    rp = h[HOST.profile]
elseif call('EXISTS', key('r', ac, rp)) == 0 then
    -- The profile of a one-off check may have been deleted.
    local chosen = load(key('chosen', ac))
    rp = chosen and chosen[CHOSEN.profile] or rp
end
if a[ACCOUNT.status] ~= 'active' then
    --- include: begin_suspended
    return gone()
end

local lists, total = lists_for(rp, htype, tonumber(family), ARG.sum)
local events = h and wants_events()
local notifies = events or h and hears_any(false)
if taken and taken ~= by then
    call('HSET', flight, member, taken)
end
if status == 'running' then
    call('HSET', ck, 'total', total)
elseif not due or notifies or total == 0 or mark ~= ':' or status then
    call('HSET', ck, 'status', 'running', 'host', value, 'host_id', ht,
        'started', now, 'total', total)
    if not status then
        --- include: keep
        keep_ended(ck, ARG.keep)
    end
    if events then
        --- include: events
        emit(a[ACCOUNT.timezone], nil, 'rbl.host.check.started',
            now, pp, event_host(h), value, false, 0, no_results, 1,
            no_callbacks, '')
    end
end
return {'OK', value, tonumber(family), lists, a[ACCOUNT.interval],
    h and begun_listings(h[HOST.details]) or '', htype,
    (notifies or due and status) and '1' or '0', pp, times, now,
    h and h[HOST.checked] or 0, begun_troubled(h and h[HOST.troubled],
        h and h[HOST.answers])}
