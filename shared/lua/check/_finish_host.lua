-- Steps of check_finish: the schedule and the state of the host.
--- takes: ac checked checked_before first flight history_max ht is_listed job
--- takes: listed member n_listed n_transitions n_unknown next_check now parent
--- takes: pp status stopped_before transitions uncovered uncovered_before
--- takes: unknown_before unmoved value version was_listed
--- sets: changes is_active next_check stays stopped was_stopped
if version then
    hosts_change()
end

local was_stopped, stays, stopped = (stopped_before or 0) > 0, false, 0
if was_stopped then
    --- include: finish_stopped
end
local is_active = status == 'active' and not stays
call('HDEL', flight, member)
if is_active then
    local soon = tonumber(ARG.soon)
    next_check = next_time(ht, now, ARG.interval)
    if soon > 0 then
        next_check = math.min(next_check, now + soon * 1000)
    end
    local at, till = tostring(next_check), due and tonumber(job:sub(142, 154))
    call('ZADD', key('due', ac), at, ht)
    --- include: turn
elseif due then
    due_never(ht)
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
if is_listed ~= was_listed or changes or checked_before == 0
    or (n_unknown > 0) ~= (unknown_before > 0) or was_stopped
then
    --- include: state
    --- include: totals
    local was = state_of(status, '', listed, uncovered_before, unknown_before,
        checked_before)
    local is = state_of(status, '', n_listed, uncovered and 1, n_unknown,
        checked)
    if is ~= was or was_stopped then
        totals_add(TOTALS.listed, state_move(ht, was, is, first), now)
    end
    if stopped > 0 then
        --- include: state_stop
        state_stop(ht, is)
    end
end
--- include: finish_record
if parent ~= '' and (not unmoved or changes) then
    --- include: range_checked
    range_checked(parent, not unmoved and now,
        is_listed == was_listed and 0 or is_listed and 1 or -1,
        changes and (uncovered and 1 or 0), was_stopped and stopped == 0)
end
