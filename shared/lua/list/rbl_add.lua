-- Adds a custom list.
-- KEYS[1] acct:<AC>
-- ARGV    1 list SID  2 type: rbl, uribl  3 zone
-- Result  OK, packed record | EXISTS | LIMIT, max custom lists | ACCOUNT
--- include: account
--- include: customs
local max_customs = 200
if call('EXISTS', KEYS[1]) == 0 then
    return {'ACCOUNT'}
end
local sid, type, zone = ARGV[1], ARGV[2], ARGV[3]
if custom_taken(type, zone, sid) then
    return {'EXISTS'}
end
local rbls = key('rbls', ac)
if call('ZCARD', rbls) >= max_customs then
    return {'LIMIT', max_customs}
end
-- No codes: the rules for a list that documents none.
local raw = cmsgpack.pack({1, sid, type, zone, zone, '', custom_families(type),
    1, 'active', '', {}, '', '', 'normal', type == 'rbl' and 'ip' or 'domain',
    'block', 'none'})
call('SET', key('r', ac, sid), raw)
call('ZADD', rbls, call('INCR', key('seq', ac)), sid)
return {'OK', raw}
