-- Moves a host from one state to another, in the indexes.
--- include: state
--- include: days
-- `first` is the time of its listing, `order` its place in "hosts", or nil.
-- Returns the change of the number of listed hosts.
local function state_move(ht, from, to, first, order)
    -- A damaged record of the day does not keep a host in its state.
    if from ~= to then
        pcall(days_turn, now_ms(), 0, 0)
    end
    if to == 0 then
        call('ZREM', key('states', ac), ht)
        return from == state_listed and -call('ZREM', key('listed', ac), ht)
            or 0
    end
    order = order or call('ZSCORE', key('hosts', ac), ht) or 0
    call('ZADD', key('states', ac), state_score(to,
        tonumber(to == state_listed and first or order)), ht)
    if to == state_listed then
        return call('ZADD', key('listed', ac), order, ht)
    end
    return from == state_listed and -call('ZREM', key('listed', ac), ht) or 0
end
