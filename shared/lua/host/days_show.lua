-- The days of an account, how its hosts are now, and the lists that list most
-- of them.
--- key: acct  acct:<AC>
--- arg: most  lists
--- reply: OK today days listed# unknown# silent# date# answered# weights[]
---   names# lists[]
--          today, days: as they are stored, or "".  listed, unknown: hosts now;
--          silent: those that are unknown if no list answers.  date, answered:
--          days since 1970, of today and of the last answer of a list (0:
--          none).  weights: hosts by their heaviest listing, from info to
--          critical.  names: how many lists list hosts, or began to within
--          seven days; lists: {SID, hosts, new in seven days, record} of the
--          first of them
--- include: account
--- include: state
--- include: days
local date, refs = math.floor(now_ms() / day_ms), key('refs', ac)
local new, rows = {}, {}
for i = 0, 6 do
    local begun = call('HGETALL', key('newly', ac, date - i))
    for at = 1, #begun, 2 do
        new[begun[at]] = (new[begun[at]] or 0) + begun[at + 1]
    end
end
local names, fields = {}, {}
for _, index in ipairs({key('lists:active'), key('rbls', ac)}) do
    for _, sid in ipairs(call('ZRANGE', index, 0, -1)) do
        names[#names + 1] = sid
        fields[#fields + 1] = sid .. ':h'
    end
end
local counts = fields[1] and call('HMGET', refs, unpack(fields)) or {}
for i, sid in ipairs(names) do
    local n = tonumber(counts[i] or nil) or 0
    if n > 0 or new[sid] then
        rows[#rows + 1] = {sid, n, new[sid] or 0}
    end
end
table.sort(rows, function(a, b)
    if a[2] ~= b[2] then
        return a[2] > b[2]
    end
    return a[3] ~= b[3] and a[3] > b[3] or a[3] == b[3] and a[1] < b[1]
end)
local lists = {unpack(rows, 1, tonumber(ARG.most))}
for i, row in ipairs(lists) do
    local sid = row[1]
    row[4] = call('GET', key('r', call('ZSCORE', key('rbls', ac), sid) and ac
        or 'SYS', sid)) or ''
end
return {'OK', call('GET', key('today', ac)) or '',
    call('GET', key('days', ac)) or '', call('ZCARD', key('listed', ac)),
    hosts_unknown(), hosts_unknown(true), date, day_answered(),
    call('HMGET', refs, 'w1', 'w2', 'w3', 'w4'), #rows, lists}
