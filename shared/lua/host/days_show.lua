-- Reads the days of an account, the present state of its hosts, the lists with
-- most of its hosts, and its groups with listed hosts.
--- key: acct  acct:<AC>
--- arg: most  lists
--- reply: OK today days listed# unknown# silent# date# answered# weights[]
---   names# trends lists[] groups[]
--          today, days, trends: as they are stored, or "".  listed, unknown:
--          hosts now.  silent: hosts that are unknown if no list answers.
--          date, answered: days since 1970, of today and of the last answer of
--          a list (0: none).  weights: hosts by their heaviest listing, from
--          info to critical.  names: number of lists that list hosts, or have
--          begun to within seven days.  lists: the first of these, each
--          {SID, hosts, new in seven days, record}.  groups: {SID, listed
--          hosts, their change today} of the first 200 groups, unless both are
--          0
--- include: account
--- include: state
--- include: days
--- include: list_hosts
local date, refs = math.floor(now_ms() / day_ms), key('refs', ac)
local new, rows = list_new(date), {}
local sids, hosts, n_system = list_hosts()
for i, sid in ipairs(sids) do
    if hosts[i] > 0 or new[sid] then
        rows[#rows + 1] = {sid, hosts[i], new[sid] or 0, i <= n_system}
    end
end
table.sort(rows, function(a, b)
    if a[2] ~= b[2] then
        return a[2] > b[2]
    end
    return a[3] ~= b[3] and a[3] > b[3] or a[3] == b[3] and a[1] < b[1]
end)
local lists = {unpack(rows, 1, tonumber(ARG.most))}
for _, row in ipairs(lists) do
    row[4] = call('GET', key('r', row[4] and 'SYS' or ac, row[1])) or ''
end
local most_groups, groups, in_groups = 200, {}, {}
local all = call('ZRANGE', key('groups', ac), 0, most_groups - 1)
for i, sid in ipairs(all) do
    in_groups[i] = sid .. ':l'
end
if all[1] then
    local now = call('HMGET', refs, unpack(in_groups))
    local moved = redis.pcall('HMGET', key('moved', ac, date), unpack(all))
    for i, sid in ipairs(all) do
        local n = tonumber(now[i] or nil) or 0
        local change = tonumber(moved[i] or nil) or 0
        if n ~= 0 or change ~= 0 then
            groups[#groups + 1] = {sid, n, change}
        end
    end
end
return {'OK', call('GET', key('today', ac)) or '',
    call('GET', key('days', ac)) or '', call('ZCARD', key('listed', ac)),
    hosts_unknown(), hosts_unknown(true), date, day_answered(),
    call('HMGET', refs, 'w1', 'w2', 'w3', 'w4'), #rows,
    call('GET', key('trends', ac)) or '', lists, groups}
