-- Reads a host, the lists of its profile that apply to it, and their records;
-- also lists that no longer apply but list the host, or are unknown.
--- key: acct  acct:<AC>
--- arg: host  SID
--- reply: OK host lists[] records[] coverage marks now#  its record; SIDs;
--          their records, or nil; the record "coverage" of the account, or "";
--          its marks, packed, or ""
--- reply: HOST  no such host
--- include: account
--- include: lists
local raw = owns('hosts', ARG.host) and call('GET', key('r', ac, ARG.host))
if not raw then
    return {'HOST'}
end
local ok, host = pcall(cmsgpack.unpack, raw)
if not ok or type(host) ~= 'table' or type(host[HOST.details]) ~= 'table' then
    return {'OK', raw, {}, {}, '', '', now_ms()}
end
local sids, seen = {}, {}
local function add(entries)
    for _, e in ipairs(entries) do
        if not seen[e[1]] then
            seen[e[1]] = true
            sids[#sids + 1] = e[1]
        end
    end
end
if host[HOST.type] ~= 'ip_range' then
    add((lists_for(host[HOST.profile], host[HOST.type], host[HOST.family],
        false, true)))
end
add(host[HOST.details])
add(host[HOST.troubled] or {})
local keys, records = {}, {}
for i, sid in ipairs(sids) do
    keys[i] = key('r', 'SYS', sid)
end
if sids[1] then
    records = call('MGET', unpack(keys))
end
local own, places = {}, {}
for i, sid in ipairs(sids) do
    if not records[i] then
        own[#own + 1], places[#own + 1] = key('r', ac, sid), i
    end
end
for i, r in ipairs(own[1] and call('MGET', unpack(own)) or {}) do
    records[places[i]] = r
end
local coverage = host[HOST.answers] and redis.pcall('GET', key('coverage', ac))
local marks = redis.pcall('HGET', key('marks', ac), ARG.host)
return {'OK', raw, sids, records, type(coverage) == 'string' and coverage
    or '', type(marks) == 'string' and marks or '', now_ms()}
