-- Adds a host, the hosts of a subnet, or a range with its children: all or
-- none.  The script decides here whether the call is refused.  Values that
-- exist already, with the same type, are skipped; if no value is new, the call
-- is refused.  For more than one host the script takes the values and makes the
-- range; the rest is work.
--- key: acct  acct:<AC>
--- arg: name
--- arg: type  of the request: rbl, uribl, ip_range
--- arg: family  1, 2, 4
--- arg: profile  SID or ""
--- arg: group  SID or ""
--- arg: range  SID or ""
--- arg: net  value of the range or ""
--- arg: host value...  SID and value of each
--- audit
--- reply: OK record  packed, of one host
--- reply: WORK id#  of the work
--- reply: PROFILE
--- reply: GROUP
--- reply: EXISTS
--- reply: LIMIT max#  hosts
--- reply: ACCOUNT
--- reply: LAPSED  the plan of the account has expired
--- reply: BUSY
--- include: work
--- include: host_put
--- include: totals
local a, chosen = load(KEY.acct), load(key('chosen', ac))
if not a or not chosen then
    return {'ACCOUNT'}
elseif (a[ACCOUNT.lapsed] or 0) > 0 then
    return {'LAPSED'}
end
local rp = ARG.profile ~= '' and ARG.profile or chosen[CHOSEN.profile]
local cg = ARG.group ~= '' and ARG.group or chosen[CHOSEN.group]
if ARG.profile ~= '' and not owns('profiles', rp) then
    return {'PROFILE'}
end
if ARG.group ~= '' and not owns('groups', cg) then
    return {'GROUP'}
end
local set = {[HOST.profile] = rp, [HOST.groups] = {cg}}

local range = ARG.type == 'ip_range'
local htype = range and 'rbl' or ARG.type
local uniq = key('uniq', ac)
if range and call('HEXISTS', uniq, 'ip_range|' .. ARG.net) == 1 then
    return {'EXISTS'}
end
local fields, n = {}, 0
local mark = htype .. '|'
for i = ARG.value + ARG.each, #ARGV, ARG.each do
    n = n + 1
    fields[n] = mark .. ARGV[i]
end
-- The new hosts: entries for "uniq", and SIDs with values as one text for the
-- work.
local known = call('HMGET', uniq, unpack(fields))
local taken, rest = {}, {}
for i = 1, n do
    if not known[i] then
        local sid = ARGV[ARG.host + ARG.each * i]
        local at = #taken
        taken[at + 1] = fields[i]
        taken[at + 2] = sid
        rest[#rest + 1] = sid .. ARGV[ARG.value + ARG.each * i]
    end
end
if #rest == 0 then
    return {'EXISTS'}
end
-- A value that is taken counts even if its host is not made yet.
local max = a[ACCOUNT.max_hosts]
if max > 0 and math.max(call('HLEN', uniq), call('ZCARD', key('hosts', ac)))
    + #rest + (range and 1 or 0) > max
then
    return {'LIMIT', max}
end

local family, now = tonumber(ARG.family), now_ms()
about, named = range and ARG.range or rest[1]:sub(1, 34), range and ARG.net
    or rest[1]:sub(35)
local function put(sid, value, type)
    local raws = hosts_put({{sid, value, ARG.name, type, ''}}, family, set,
        now)
    refs_write()
    totals_add(TOTALS.hosts, 1, now)
    return raws[1]
end
if n == 1 and not range then
    call('HSET', uniq, taken[1], taken[2])
    return {'OK', put(ARGV[ARG.host + ARG.each],
        ARGV[ARG.value + ARG.each], htype)}
end
if work_busy() then
    return {'BUSY'}
end
if range then
    call('HSET', uniq, 'ip_range|' .. ARG.net, ARG.range)
    put(ARG.range, ARG.net, 'ip_range')
end
call('HSET', uniq, unpack(taken))
local id = work_add('host_add', {ARG.name, htype, family, ARG.range, set})
call('RPUSH', key('work', ac, id), unpack(rest))
return {'WORK', id}
