-- Steps of check_finish: lists have begun to list an address of a range, or
-- have ceased to.  The other addresses of the range are checked at once
-- (_siblings.lua), for each list and verdict once an hour, so that one message
-- has all of them.  "siblings:<AC>" has when, by "<range>:<list>:<verdict>"
-- (ms).  An account that pays by the check gets only scheduled checks.
--- takes: ac h meter n_transitions now transitions
--- sets: siblings_asked
local siblings_asked = false
if n_transitions > 0 and h[HOST.parent] ~= '' and not meter then
    local siblings, range, hour = key('siblings', ac), h[HOST.parent], 3600000
    -- A few lists are enough: a check asks all of them.
    for i = 1, math.min(8, n_transitions) do
        local list, _, verdict = unpack(transitions[i])
        local member = range .. ':' .. list .. ':' .. verdict
        local at = tonumber(call('ZSCORE', siblings, member) or nil)
        if verdict ~= 'ended' and (not at or at > now or at <= now - hour) then
            call('ZADD', siblings, tostring(now), member)
            siblings_asked = true
        end
    end
    if siblings_asked then
        call('ZREMRANGEBYSCORE', siblings, '-inf', tostring(now - hour))
        call('PEXPIRE', siblings, hour)
        call('ZADD', key('siblings'), '0', ac .. ':' .. range)
    end
end
