-- Pauses or resumes one host, alone or as an address of a range.  refs_write()
-- writes the counters of its listings.
--- include: account
--- include: due
--- include: state_move
--- include: listings
-- By how much the number of listings changes with the status.  `order`: of the
-- host in "hosts", or nil.
local function host_turned(k, h, status, now, order)
    if h[HOST.status] == status then
        return 0
    end
    local sid, was = h[HOST.id], state_in(h)
    local member = ac .. ':' .. sid
    -- A check that was begun keeps its lease, and ends.
    local begun = call('HEXISTS', key('flight:due'), member) == 1
    h[HOST.status] = status
    if status == 'paused' then
        h[HOST.next_check] = 0
        if not begun then
            due_never(sid)
        end
    elseif h[HOST.type] ~= 'ip_range' then
        h[HOST.next_check] = now
        if not begun and call('HEXISTS', key('flight'), member) == 0 then
            due_at(sid, now)
        end
    end
    save(k, h)
    local change = state_move(sid, was, state_in(h), h[HOST.first_listed],
        order)
    local sign = status == 'paused' and -1 or 1
    if listings_count(h[HOST.details], sign) then
        listed_in_groups(h[HOST.groups], sign)
    end
    if (h[HOST.stopped] or 0) > 0 then
        --- include: state_stop
        state_stop(sid, state_in(h))
    end
    return change
end
