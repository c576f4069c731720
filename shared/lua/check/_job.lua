-- For scripts whose key is acct:<AC> and whose argument `job` is the handle of
-- a check of that account: "<AC>:<PP>:<HT or nothing>:<m or d>:<...>", m:
-- manual, d: scheduled.
--
-- "flight" has the SID of the manual check of a host.  "flight:due" has
-- "<PP>:<times>:<end of the lease>:<the daemon's name>" of its scheduled check;
-- times: how often it was started.  "+" in place of the first colon: a client
-- asked for that check, so it has a record.
-- SIDs have one length, and this is faster than a pattern.  Places:
--     handle  36 to 101 PP, 103 to 136 HT, 138 "d", from 140 on as the flight
--             behind "<PP>:": 140 times, 142 to 154 the end of the lease (for
--             check_begin without times: the end begins at 140)
--     flight  1 to 66 PP, 67 ":" or "+", 68 times, 70 to 82 the end of the
--             lease
local job = ARG.job
local ac, pp = job:sub(1, 34), job:sub(36, 101)
local ht = job:sub(103, 103) ~= ':' and job:sub(103, 136) or ''
local due = job:sub(104 + #ht, 104 + #ht) == 'd'
local hk = ht ~= '' and key('r', ac, ht)
-- Behind "<m or d>:" the handle of a scheduled check is the same as its flight.
local flight = due and key('flight:due') or key('flight')
local member = ac .. ':' .. ht
local by = hk and call('HGET', flight, member)
-- The lease of a manual check ends.
local function release()
    if not due then
        call('ZREM', key('leases'), job)
    end
end
