-- Adds a host, those of a subnet, or a range with its children.  All or none:
-- everything that can refuse is decided here.  Values that exist already (same
-- type) are skipped; if nothing is new the call is refused.  Of more than one
-- host the values are taken and the range is made here, the rest is work.
-- KEYS[1] acct:<AC>
-- ARGV    1 name  2 type of the request: rbl, uribl, ip_range
--         3 family (1, 2, 4)  4 profile SID or ""  5 group SID or ""
--         6 range SID or ""  7 range value or ""  8... pairs of SID and value
-- Result  OK, packed record (one host) | WORK, id of the work
--         | PROFILE | GROUP | EXISTS | LIMIT, max hosts | ACCOUNT | BUSY
--- include: work
--- include: host_put
--- include: totals
--- use: account
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local rp = ARGV[4] ~= '' and ARGV[4] or a[ACCOUNT.profile]
local cg = ARGV[5] ~= '' and ARGV[5] or a[ACCOUNT.group]
if not owns('profiles', rp) then
    return {'PROFILE'}
end
if not owns('groups', cg) then
    return {'GROUP'}
end

local range = ARGV[2] == 'ip_range'
local htype = range and 'rbl' or ARGV[2]
local uniq = key('uniq', ac)
if range and call('HEXISTS', uniq, 'ip_range|' .. ARGV[7]) == 1 then
    return {'EXISTS'}
end
local fields, n = {}, 0
local mark = htype .. '|'
for i = 9, #ARGV, 2 do
    n = n + 1
    fields[n] = mark .. ARGV[i]
end
-- What is new: for "uniq", and for the work: SID and value in one text.
local known = call('HMGET', uniq, unpack(fields))
local taken, rest = {}, {}
for i = 1, n do
    if not known[i] then
        local sid = ARGV[6 + 2 * i]
        local at = #taken
        taken[at + 1] = fields[i]
        taken[at + 2] = sid
        rest[#rest + 1] = sid .. ARGV[7 + 2 * i]
    end
end
if #rest == 0 then
    return {'EXISTS'}
end
-- A value that was taken counts, though its host is still to be made.
local max = a[ACCOUNT.max_hosts]
if max > 0 and math.max(call('HLEN', uniq), call('ZCARD', key('hosts', ac)))
    + #rest + (range and 1 or 0) > max
then
    return {'LIMIT', max}
end

local family, now = tonumber(ARGV[3]), now_ms()
local function put(sid, value, type)
    local raws = hosts_put({{sid, value, ARGV[1], type, ''}}, family, rp, cg,
        now)
    refs_write()
    totals_add(TOTALS.hosts, 1)
    return raws[1]
end
if n == 1 and not range then
    call('HSET', uniq, taken[1], taken[2])
    return {'OK', put(ARGV[8], ARGV[9], htype)}
end
if work_busy() then
    return {'BUSY'}
end
if range then
    call('HSET', uniq, 'ip_range|' .. ARGV[7], ARGV[6])
    put(ARGV[6], ARGV[7], 'ip_range')
end
call('HSET', uniq, unpack(taken))
local id = work_add('host_add', {ARGV[1], htype, family, rp, cg, ARGV[6]})
call('RPUSH', key('work', ac, id), unpack(rest))
return {'WORK', id}
