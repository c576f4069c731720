-- For scripts whose key is acct:<AC> and whose argument `job` is the handle of
-- a job of that account: "<AC>:<PP>:<HT or nothing>:<m or d>:<...>".
--- include: base
-- SIDs have one length, and this is faster than a pattern.
local job = ARG.job
local ac, pp = job:sub(1, 34), job:sub(36, 101)
local ht = job:sub(103, 103) ~= ':' and job:sub(103, 136) or ''
local due = job:sub(104 + #ht, 104 + #ht) == 'd'
local hk = ht ~= '' and key('r', ac, ht)
-- Of a check that is due the rest of the handle is the same in its flight.
local flight = due and key('flight:due') or key('flight')
local member = ac .. ':' .. ht
local by = hk and call('HGET', flight, member)
-- The daemon's lease of a manual check ends.
local function release()
    if not due then
        call('ZREM', key('leases'), job)
    end
end
