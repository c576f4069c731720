-- Changes a contact.  The contact gets a message about known listings that are
-- no longer reported to it.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- arg: schedule  or ""
--- arg: groups...  SIDs (none: unchanged)
--- audit: contact
--- reply: OK
--- reply: CONTACT
--- reply: GROUP
--- reply: GROUPS max#  of a contact
--- reply: PLACES max#  of contacts in groups
--- include: account
--- include: groups
--- include: refs
--- include: contact_of
--- include: look
local before = c[CONTACT.groups]
local groups, refused = groups_from(ARG.groups)
if not groups then
    return refused
end
if ARG.schedule == '' and #groups == 0 then
    by = nil
end
if #groups > 0 and not groups_room(#groups - #before) then
    return {'PLACES', max_places}
end
if ARG.schedule ~= '' then
    c[CONTACT.schedule] = ARG.schedule
end
if #groups > 0 then
    groups_count('c', c[CONTACT.groups], -1)
    groups_count('c', groups, 1)
    refs_write()
    c[CONTACT.groups] = groups
end
save(contact_key, c)
hears_change(ARG.contact, c, before)
pcall(look_at, ARG.contact, '*')
return {'OK'}
