-- Steps of check_finish: the schedule and the state of the host.
if version then
    hosts_change()
end
if answered > 0 or not last then
    checked_at(last, now, ARG.interval)
end

local is_active = status == 'active'
call('HDEL', flight, member)
if is_active then
    local soon = tonumber(ARG.soon)
    next_check = next_time(ht, now, ARG.interval)
    if soon > 0 then
        next_check = math.min(next_check, now + soon * 1000)
    end
    local at, till = tostring(next_check), due and job:sub(142, 154)
    call('ZADD', key('due', ac), at, ht)
    --- include: turn
elseif due then
    due_never(ht)
end

if not unmoved and (is_active and is_listed or was_listed) then
    --- include: totals
    local change = is_active and is_listed and call('ZADD', key('listed', ac),
        call('ZSCORE', key('hosts', ac), ht), ht)
        or -call('ZREM', key('listed', ac), ht)
    totals_add(TOTALS.listed, change)
end
if n_transitions > 0 then
    -- The more changes an entry has, the fewer others stay.
    call('XADD', key('hist', ac, ht), 'MAXLEN', n_transitions > 1 and '='
        or '~', math.floor(history_max / n_transitions), '*', 'c', pp, 't',
        cmsgpack.pack(transitions))
    call('XADD', key('changes', ac), 'MAXLEN', '~', 500, '*', 'h', ht, 'v',
        value, 'n', n_transitions, 't',
        cmsgpack.pack({unpack(transitions, 1, 5)}))
end
local changes = uncovered ~= (uncovered_before == 1)
if changes and is_active then
    if uncovered then
        call('ZADD', key('uncovered', ac), now, ht)
    else
        call('ZREM', key('uncovered', ac), ht)
    end
end
--- include: finish_record
if parent ~= '' and (not unmoved or changes) then
    --- include: range_checked
    range_checked(parent, not unmoved and now,
        is_listed == was_listed and 0 or is_listed and 1 or -1,
        changes and (uncovered and 1 or 0))
end
