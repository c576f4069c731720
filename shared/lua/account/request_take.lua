-- Gives a daemon the oldest request of operators, with a lease.  They are
-- carried out one at a time, in their order, so that it is enough to know the
-- last one of an account (account_plan.lua).
-- With the rights of nginx anything may be there: what request_add would not
-- write is removed here, or refused by the daemon.
--- key: acct  acct:<AC> of the operators
--- arg: lease  (ms)
--- arg: plans  packed names of the plans of the daemon's file, or "": as before
--- reply: OK id request now#  its record, and the time (ms)
--- reply: NONE
--- include: account
local requests, plans = key('requests', ac), key('plans')
if ARG.plans ~= '' and call('GET', plans) ~= ARG.plans then
    call('SET', plans, ARG.plans)
end
local lease_most = 600000
local now, first = now_ms(), nil
local found = call('HSCAN', requests, '0', 'COUNT', 100)[2]
for i = 1, #found, 2 do
    local id = found[i]
    local ok, r = pcall(cmsgpack.unpack, found[i + 1])
    if not ok or type(r) ~= 'table' or r[1] ~= 1 or r[REQUEST.id] ~= id
        or not id:find('^%d+$') or #id > 15 or #found[i + 1] > 16384
        or type(r[REQUEST.lease]) ~= 'number'
        or type(r[REQUEST.tries]) ~= 'number'
    then
        call('HDEL', requests, id)
    elseif not first or tonumber(id) < tonumber(first[REQUEST.id]) then
        first = r
    end
end
-- A lease of a clock that was ahead is none.
if not first or first[REQUEST.lease] > now
    and first[REQUEST.lease] <= now + lease_most
then
    return {'NONE'}
end
first[REQUEST.lease] = now + tonumber(ARG.lease)
first[REQUEST.tries] = first[REQUEST.tries] + 1
local raw = cmsgpack.pack(first)
call('HSET', requests, first[REQUEST.id], raw)
return {'OK', first[REQUEST.id], raw, now}
