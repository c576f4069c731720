-- Reads who is notified about the listings of a host: its contact groups, and
-- some contacts of each.
--- key: acct  acct:<AC>
--- arg: host  SID
--- arg: most  contacts of a group
--- reply: OK groups[] contacts[]  groups: {SID, record, contacts, contacts that
--          are active, SIDs of the first of these}; contacts: records of these
--- reply: HOST  no such host
--- include: account
-- The fields of a record up to the groups fit into so many octets.
local head_most = 4096
local all_most = 100            -- contacts
local head = owns('hosts', ARG.host)
    and call('GETRANGE', key('r', ac, ARG.host), 0, head_most - 1) or ''
if head == '' then
    return {'HOST'}
end
local ok, fields = pcall(function()
    return {cmsgpack.unpack_limit(head, HOST.groups, 3)}
end)
local sids = ok and fields[1 + HOST.groups]
local keys, counts, groups = {}, {}, {}
for i, cg in ipairs(type(sids) == 'table' and sids or {}) do
    keys[i], counts[i] = key('r', ac, cg), cg .. ':c'
end
if not keys[1] then
    return {'OK', {}, {}}
end
local records = call('MGET', unpack(keys))
counts = call('HMGET', key('refs', ac), unpack(counts))
local asked, seen = {}, {}
for i, cg in ipairs(sids) do
    local hears = key('hears', ac, cg)
    local first = call('ZRANGE', hears, 0, ARG.most - 1)
    local shown = {}
    for _, co in ipairs(first) do
        if not seen[co] and #asked < all_most then
            seen[co] = true
            asked[#asked + 1] = key('r', ac, co)
        end
        shown[#shown + 1] = seen[co] and co or nil
    end
    groups[i] = {cg, records[i] or '', tonumber(counts[i] or nil) or 0,
        call('ZCARD', hears), shown}
end
local contacts = {}
for _, raw in ipairs(asked[1] and call('MGET', unpack(asked)) or {}) do
    contacts[#contacts + 1] = raw or nil
end
return {'OK', groups, contacts}
