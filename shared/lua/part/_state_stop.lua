-- A stopped host (_stopped.lua) is unknown in "states"; "listed" has it by its
-- record.
--- include: state
local function state_shown(state, stopped)
    return (stopped or 0) > 0 and state < state_paused and state_unknown
        or state
end
local function state_stop(ht, state)
    if state < state_paused then
        call('ZADD', key('states', ac), state_score(state_unknown,
            tonumber(call('ZSCORE', key('hosts', ac), ht) or nil) or 0), ht)
    end
end
