-- Adds hosts: one, those of a subnet, or a range with its children.  All or
-- none.  Values that exist already (same type) are skipped; if nothing is new
-- the call is refused.
-- KEYS[1] acct:<AC>
-- ARGV    1 name  2 type of the request: rbl, uribl, ip_range
--         3 family (1, 2, 4)  4 profile SID or ""  5 group SID or ""
--         6 range SID or ""  7 range value or ""  8... pairs of SID and value
-- Result  OK, packed records in order (the range first)
--         | PROFILE | GROUP | EXISTS | LIMIT, max hosts | ACCOUNT
--- include: account
--- include: refs
--- include: due
--- include: totals
--- use: account host
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
local new = {}
if range and call('HEXISTS', uniq, 'ip_range|' .. ARGV[7]) == 1 then
    return {'EXISTS'}
end
for i = 8, #ARGV, 2 do
    if call('HEXISTS', uniq, htype .. '|' .. ARGV[i + 1]) == 0 then
        new[#new + 1] = i
    end
end
if #new == 0 then
    return {'EXISTS'}
end
local hosts = key('hosts', ac)
local max = a[ACCOUNT.max_hosts]
if max > 0
    and call('ZCARD', hosts) + #new + (range and 1 or 0) > max
then
    return {'LIMIT', max}
end

local now = now_ms()
local out = {'OK'}
local function add(sid, value, name, type, parent)
    local next_check = type == 'ip_range' and 0 or now
    local h = {1, sid, value, name, type, tonumber(ARGV[3]), parent, 'active',
        rp, {cg}, now, 0, 0, 0, 0, next_check, {}}
    local raw = cmsgpack.pack(h)
    call('SET', key('r', ac, sid), raw)
    call('HSET', uniq, type .. '|' .. value, sid)
    call('ZADD', hosts, call('INCR', key('seq', ac)), sid)
    if next_check > 0 then
        due_at(sid, now)
    end
    out[#out + 1] = raw
end
if range then
    add(ARGV[6], ARGV[7], ARGV[1], 'ip_range', '')
end
for n, i in ipairs(new) do
    local value = ARGV[i + 1]
    if range then
        add(ARGV[i], value, ARGV[1] .. ' ' .. value, 'rbl', ARGV[6])
        call('ZADD', key('kids', ac, ARGV[6]), n, ARGV[i])
    else
        add(ARGV[i], value, ARGV[1], htype, '')
    end
end
refs_add(rp, #out - 1)
totals_add(TOTALS.hosts, #out - 1)
refs_add(cg .. ':h', #out - 1)
return out
