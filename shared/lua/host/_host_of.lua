-- Steps of a script that changes a host: its key `k`, its record `h`, and its
-- place `order` in "hosts".  A range whose deletion was accepted is none.
--- include: account
--- takes: ac
--- sets: h k named order
local k, order = key('r', ac, ARG.host), owns('hosts', ARG.host)
local h = order and load(k)
if h and h[HOST.type] == 'ip_range' then
    --- include: work
    h = not work_targets('host_delete')[ARG.host] and h
end
if not h then
    return {'HOST'}
end
named = h[HOST.value]
