-- Changes what a custom list is; profiles keep it.
-- KEYS[1] acct:<AC>
-- ARGV    1 list SID  2 type or ""  3 zone or ""
-- Result  OK | RBL | SYSTEM (not a custom one) | EXISTS
--- include: account
--- include: customs
local l, word = custom_list(ARGV[1])
if not l then
    return {word}
end
local type = ARGV[2] ~= '' and ARGV[2] or l[LIST.type]
local zone = ARGV[3] ~= '' and ARGV[3] or l[LIST.zone]
if type == l[LIST.type] and zone == l[LIST.zone] then
    return {'OK'}
end
if custom_taken(type, zone, ARGV[1]) then
    return {'EXISTS'}
end
l[LIST.type], l[LIST.zone], l[LIST.name] = type, zone, zone
l[LIST.families] = custom_families(type)
l[LIST.scope] = type == 'rbl' and 'ip' or 'domain'
save(key('r', ac, ARGV[1]), l)
return {'OK'}
