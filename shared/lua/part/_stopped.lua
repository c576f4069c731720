-- A host is stopped when the plan of its account has expired: it is in no
-- schedule, and its state is unknown until a check finishes after the plan was
-- paid again.  Its record tells since when, and keeps its listings.
--- include: due
--- include: state_stop
--- include: host_field
-- May the host, whose record is there, not be checked?
local function lapse_stops(a, ht)
    return (a[ACCOUNT.lapsed] or 0) > 0 and (a[ACCOUNT.kept] == 0
        or (tonumber(call('ZSCORE', key('hosts', ac), ht) or nil) or 0)
            > a[ACCOUNT.kept])
end
-- A check that was begun keeps its lease, and ends.
local function host_begun(ht)
    return call('HEXISTS', key('flight:due'), ac .. ':' .. ht) == 1
end
-- Paused hosts stay paused: they are in no schedule.
local function host_stop(k, h, since)
    local sid = h[HOST.id]
    if h[HOST.status] ~= 'active' then
        return
    end
    if not host_begun(sid) then
        due_never(sid)
    end
    if (h[HOST.stopped] or 0) == 0 then
        host_field(h, HOST.stopped, since)
        h[HOST.next_check] = 0
        save(k, h)
        state_stop(sid, state_in(h))
    end
end
-- The hosts of an account are due again, spread over one interval.  The records
-- of ranges lose their mark with the first check of an address.
local function host_go(k, h, interval, now)
    local sid = h[HOST.id]
    if (h[HOST.stopped] or 0) == 0 or h[HOST.status] ~= 'active'
        or h[HOST.type] == 'ip_range' or host_begun(sid)
        or call('HEXISTS', key('flight'), ac .. ':' .. sid) == 1
    then
        return
    end
    h[HOST.next_check] = next_time(sid, now, interval)
    save(k, h)
    due_at(sid, tostring(h[HOST.next_check]))
end
