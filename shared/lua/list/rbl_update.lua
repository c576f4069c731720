-- Changes what a custom list is; profiles keep it.
--- key: acct  acct:<AC>
--- arg: list  SID
--- arg: type  or ""
--- arg: zone  or ""
--- audit: list
--- reply: OK
--- reply: RBL
--- reply: SYSTEM  not a custom one
--- reply: EXISTS
--- include: account
--- include: customs
local l, word = custom_list(ARG.list)
if not l then
    return {word}
end
named = l[LIST.zone]
local type = ARG.type ~= '' and ARG.type or l[LIST.type]
local zone = ARG.zone ~= '' and ARG.zone or l[LIST.zone]
if type == l[LIST.type] and zone == l[LIST.zone] then
    by = nil
    return {'OK'}
end
if custom_taken(type, zone, ARG.list) then
    return {'EXISTS'}
end
l[LIST.type], l[LIST.zone], l[LIST.name] = type, zone, zone
l[LIST.families] = custom_families(type)
l[LIST.scope] = type == 'rbl' and 'ip' or 'domain'
save(key('r', ac, ARG.list), l)
return {'OK'}
