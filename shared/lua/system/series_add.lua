-- Adds the numbers that a daemon has counted since its last call to the point
-- of these five minutes (rbl_series.h), and to this hour of each list.
--- key: leases  of partition 0
--- arg: checks  that ended
--- arg: answered  queries to lists that ended so, and likewise the next three
--- arg: refused
--- arg: timed_out
--- arg: failed
--- arg: oldest  seconds that the first waiting check has waited
--- arg: delivered  attempts that ended so, and likewise the next two
--- arg: retried
--- arg: dead
--- arg: list responses refusals failures...  SID; queries to it that ended so
--- reply: OK
local step, form, octets = 300000, '>I4I4I4I4I4I4I4I4I4I4', 40
local oldest, most = 7, 4294967295
local now = now_ms()
local day, since = math.floor(now / 86400000), now % 86400000
local function lasts(k, days)
    call('PEXPIRE', k, (days + 1) * 86400000 + 3600000 - since)
end
local add = {1, ARG.checks, ARG.answered, ARG.refused, ARG.timed_out,
    ARG.failed, ARG.oldest, ARG.delivered, ARG.retried, ARG.dead}
local k, at = key('series', day), math.floor(since / step) * octets
local raw = call('GETRANGE', k, at, at + octets - 1)
local point = {struct.unpack(form, raw .. string.rep('\0', octets - #raw))}
for i = 1, 10 do
    local n = tonumber(add[i])
    point[i] = math.min(most, i == oldest and math.max(point[i], n)
        or point[i] + n)
end
call('SETRANGE', k, at, struct.pack(form, unpack(point, 1, 10)))
lasts(k, 7)
local lists = (#ARGV - ARG.before) / ARG.each
k, at = key('responses', day), math.floor(since / 3600000) * 12
for i = 1, lists do
    local list = ARGV[ARG.list + ARG.each * i]
    local good = tonumber(ARGV[ARG.responses + ARG.each * i])
    local was = call('HGET', k, list)
    was = was and #was == 288 and was or string.rep('\0', 288)
    local a, b, c = struct.unpack('>I4I4I4', was, at + 1)
    call('HSET', k, list, was:sub(1, at)
        .. struct.pack('>I4I4I4', math.min(most, a + good),
            math.min(most, b + ARGV[ARG.refusals + ARG.each * i]),
            math.min(most, c + ARGV[ARG.failures + ARG.each * i]))
        .. was:sub(at + 13))
    if good > 0 then
        call('HSET', key('responded'), list, now)
    end
end
if lists > 0 then
    lasts(k, 1)
end
return {'OK'}
