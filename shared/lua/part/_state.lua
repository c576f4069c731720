-- The state of a host, and the index "states" of all hosts that are not clear:
-- its scores are the number of the state, then the order in it.  That is the
-- time of the listing (ms) of listed hosts, and the place in "hosts" of others.
-- "listed" has the listed ones, in the order of "hosts".
--
-- A range has no state, its addresses have one each.  A paused range is found
-- with the paused hosts.
local state_listed, state_unknown, state_uncovered, state_paused, state_range =
    1, 2, 3, 4, 5
local state_width = 1e13        -- more than any time, and any place
local function state_score(state, order)
    return state * state_width + math.min(order, state_width - 1)
end
-- 0: clear, which it is only if every list has said so.
local function state_of(status, htype, listed, uncovered, unknown, checked)
    if status ~= 'active' then
        return state_paused
    elseif htype == 'ip_range' then
        return state_range
    elseif listed > 0 then
        return state_listed
    elseif uncovered == 1 then
        return state_uncovered
    end
    return (unknown > 0 or checked == 0) and state_unknown or 0
end
-- The same of a record.
local function state_in(h)
    return state_of(h[HOST.status], h[HOST.type], h[HOST.listed_count],
        h[HOST.uncovered], h[HOST.unknown_count], h[HOST.checked])
end
