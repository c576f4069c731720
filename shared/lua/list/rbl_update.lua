-- Changes a custom list.  It stays in its profiles.
--- key: acct  acct:<AC>
--- arg: list  SID
--- arg: type  or ""
--- arg: zone  or ""; with "****" in place of its key it has to be the zone that
--          the list has
--- audit: list
--- reply: OK
--- reply: RBL
--- reply: SYSTEM  not a custom one
--- reply: EXISTS
--- reply: HIDDEN  the zone has "****" and is another one
--- include: rbl_of
--- include: zone_key
local type = ARG.type ~= '' and ARG.type or l[LIST.type]
local zone, secret = l[LIST.zone], l[LIST.key]
if string.find(ARG.zone, key_hidden, 1, true) then
    if ARG.zone ~= zone then
        return {'HIDDEN'}
    end
elseif ARG.zone ~= '' then
    zone, secret = zone_key(ARG.zone)
    by = secret and by_hide(by, zone) or by
end
if type == l[LIST.type] and zone == l[LIST.zone]
    and (secret or '') == (l[LIST.key] or '')
then
    by = nil
    return {'OK'}
end
if custom_taken(type, zone, ARG.list) then
    return {'EXISTS'}
end
l[LIST.type], l[LIST.zone], l[LIST.name] = type, zone, zone
l[LIST.families] = custom_families(type)
l[LIST.scope] = type == 'rbl' and 'ip' or 'domain'
list_keep_key(l, secret)
save(key('r', ac, ARG.list), l)
return {'OK'}
