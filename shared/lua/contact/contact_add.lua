-- Adds a contact, which is pending until it is confirmed by the code that is
-- sent to it.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- arg: type
--- arg: value
--- arg: schedule
--- arg: digest  of the code
--- arg: code
--- arg: event  SID
--- arg: groups...  SIDs (none: the default one)
--- audit: contact
--- reply: OK record  packed
--- reply: GROUP
--- reply: GROUPS max#  of a contact
--- reply: LIMIT max#  contacts of the plan
--- reply: CONTACTS max#
--- reply: PLACES max#  of contacts in groups
--- reply: CODES seconds#  until the address is sent one
--- reply: ACCOUNT
--- include: account
--- include: groups
--- include: refs
--- include: contact
local max_contacts = 1000
local a, chosen = load(KEY.acct), load(key('chosen', ac))
if not a or not chosen then
    return {'ACCOUNT'}
end
local groups, refused = groups_from(ARG.groups)
if not groups then
    return refused
end
local contacts = key('contacts', ac)
local max, n = a[ACCOUNT.max_contacts], call('ZCARD', contacts)
if max > 0 and n >= max then
    return {'LIMIT', max}
end
if n >= max_contacts then
    return {'CONTACTS', max_contacts}
end
if #groups == 0 then
    groups[1] = chosen[CHOSEN.group]
end
if not groups_room(#groups) then
    return {'PLACES', max_places}
end
local now = now_ms()
local later = code_counted(ARG.type, ARG.value, now)
if later then
    return {'CODES', later}
end
local c = {1, ARG.contact, ARG.type, ARG.value, ARG.schedule, 'pending',
    groups, now, '',
    0, 0, 0}
named = contact_name(c)
contact_code(c, a, ARG.digest, ARG.code, ARG.event, now)
local raw = cmsgpack.pack(c)
call('SET', contact_key, raw)
call('ZADD', contacts, call('INCR', key('seq', ac)), ARG.contact)
groups_count('c', groups, 1)
refs_write()
return {'OK', raw}
