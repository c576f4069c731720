-- Steps of check_finish: lists have begun to list an address of a range.  The
-- other addresses of the range are checked at once (_siblings.lua), for each
-- list once an hour.  "siblings:<AC>" has when, by "<range>:<list>" (ms).  An
-- account that pays by the check gets only the checks of its schedule.
--- takes: ac h listings meter n_listed now started
--- sets: siblings_asked
local siblings_asked = false
if started and h[HOST.parent] ~= '' and not meter then
    local siblings, range, hour = key('siblings', ac), h[HOST.parent], 3600000
    local begun = 0
    for i = 1, n_listed do
        local l = listings[i]
        -- A few lists are enough: a check asks all of them.
        if begun < 8 and l[LISTING.since] == now then
            local list = range .. ':' .. l[LISTING.list]
            local at = tonumber(call('ZSCORE', siblings, list) or nil)
            begun = begun + 1
            if not at or at > now or at <= now - hour then
                call('ZADD', siblings, tostring(now), list)
                siblings_asked = true
            end
        end
    end
    if siblings_asked then
        call('ZREMRANGEBYSCORE', siblings, '-inf', tostring(now - hour))
        call('PEXPIRE', siblings, hour)
        call('ZADD', key('siblings'), '0', ac .. ':' .. range)
    end
end
