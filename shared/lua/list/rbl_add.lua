-- Adds a custom list.
--- key: acct  acct:<AC>
--- arg: list  SID
--- arg: type  rbl, uribl
--- arg: zone
--- audit: list
--- reply: OK record  packed
--- reply: EXISTS
--- reply: LIMIT max#  custom lists
--- reply: ACCOUNT
--- include: exists
--- include: customs
--- include: zone_key
local max_customs = 200
local sid, type = ARG.list, ARG.type
local zone, secret = zone_key(ARG.zone)
if custom_taken(type, zone, sid) then
    return {'EXISTS'}
end
local rbls = key('rbls', ac)
if call('ZCARD', rbls) >= max_customs then
    return {'LIMIT', max_customs}
end
named = zone
-- No codes: the rules for a list that documents none.
local l = {1, sid, type, zone, zone, '', custom_families(type),
    1, 'active', '', {}, '', '', 'normal', type == 'rbl' and 'ip' or 'domain',
    'block', 'none'}
if secret then
    by = by_hide(by, zone)
    list_keep_key(l, secret)
end
local raw = cmsgpack.pack(l)
call('SET', key('r', ac, sid), raw)
call('ZADD', rbls, call('INCR', key('seq', ac)), sid)
return {'OK', raw}
