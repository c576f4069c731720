-- Steps of check_finish: schedule, state and record of the host.
--- takes: ac answers checked first flap flight h history_max hk ht is_listed
--- takes: job listed listings marked member n_before n_listed n_transitions
--- takes: n_unknown now past pp raw reweighed status transitions troubled
--- takes: uncovered uncovered_before unmoved value version was_listed
--- sets: answers asks changes is_active last_field next_check octets packed
--- sets: stays stopped stopped_before tail was_stopped
if version then
    hosts_change()
end
if reweighed or n_transitions > 0 or n_listed ~= n_before then
    --- include: finish_listings
end

local next_check, stopped_before = h[HOST.next_check], h[HOST.stopped] or 0
local was_stopped, stays, stopped = stopped_before > 0, false, 0
if was_stopped then
    -- While the plan is expired the host stays stopped (_stopped.lua) and out
    -- of the schedule; otherwise it is stopped until a check does not fail.
    local a = load(key('acct', ac))
    if (a and a[ACCOUNT.lapsed] or 0) > 0 then
        local place = tonumber(call('ZSCORE', key('hosts', ac), ht) or nil) or 0
        stays = place > a[ACCOUNT.kept]
    end
    stopped = (stays or unmoved) and stopped_before or 0
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

--- include: finish_marks
if n_transitions > 0 then
    -- The more changes an entry has, the fewer others stay.
    local n = math.min(n_transitions, history_max)
    call('XADD', key('hist', ac, ht), 'MAXLEN', n > 1 and '=' or '~',
        math.floor(history_max / n), '*', 'c', pp, 't',
        cmsgpack.pack({unpack(transitions, 1, n)}),
        unpack(marked and {'m', marked} or {}))
    call('XADD', key('changes', ac), 'MAXLEN', '~', 500, '*', 'h', ht, 'v',
        value, 'n', n_transitions, 't',
        cmsgpack.pack({unpack(transitions, 1, 5)}))
end
local changes = uncovered ~= (uncovered_before == 1)
if is_listed ~= was_listed or changes or h[HOST.checked] == 0
    or (n_unknown > 0) ~= (h[HOST.unknown_count] > 0) or was_stopped
then
    --- include: state_move
    --- include: totals
    local was = state_of(status, '', listed, uncovered_before,
        h[HOST.unknown_count], h[HOST.checked])
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

h[HOST.checked], h[HOST.first_listed] = checked, first
h[HOST.listed_count], h[HOST.unknown_count] = n_listed, n_unknown
h[HOST.next_check], h[HOST.details] = next_check, listings
local asks = ARG.asks or ''
--- include: answers
if unmoved then
    answers = h[HOST.answers] or ''
end
-- The record ends at the last field that was ever set: these may be set for the
-- first time.
local last_field = math.max(#h, past and HOST.flap
    or answers ~= '' and HOST.answers
    or uncovered and HOST.uncovered or troubled[1] and HOST.troubled or 0)
-- The fields behind `details`, in their order: troubled is the first.
local tail = {troubled, uncovered and 1 or 0, stopped, answers, past, flap}
for i = HOST.troubled, math.min(last_field, HOST.flap) do
    h[i] = tail[i - HOST.details]
end
local packed = cmsgpack.pack(h)
call('SET', hk, packed)
local octets = #packed
if octets > 4096 and octets ~= #raw then
    --- include: large
    large('hosts', octets)
end

if h[HOST.parent] ~= '' and (not unmoved or changes) then
    --- include: range_checked
    range_checked(h[HOST.parent], not unmoved and now,
        is_listed == was_listed and 0 or is_listed and 1 or -1,
        changes and (uncovered and 1 or 0), was_stopped and stopped == 0)
end
--- include: finish_siblings
