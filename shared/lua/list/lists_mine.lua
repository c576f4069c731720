-- The active lists of an account: how many of its hosts each one lists.
--- key: acct  acct:<AC>
--- reply: OK date# coverage trends rows[]  date: days since 1970, of today.
--          coverage, trends: as they are stored, or "".  rows: the system
--          lists, then those of the account: {record, hosts, new
--          listings of today and the six days before}
--- include: account
--- include: list_hosts
local date = math.floor(now_ms() / 86400000)
local sids, hosts, n_system = list_hosts()
local new, keys, rows = list_new(date), {}, {}
for i, sid in ipairs(sids) do
    keys[i] = key('r', i <= n_system and 'SYS' or ac, sid)
end
for i, raw in ipairs(keys[1] and call('MGET', unpack(keys)) or {}) do
    rows[i] = {raw or '', hosts[i], new[sids[i]] or 0}
end
return {'OK', date, call('GET', key('coverage', ac)) or '',
    call('GET', key('trends', ac)) or '', rows}
