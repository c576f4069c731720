-- Changes a contact.  It is told of what it does not hear of any more.
-- KEYS[1] acct:<AC>
-- ARGV    1 contact SID  2 schedule or ""  3... group SIDs (none: unchanged)
-- Result  OK | CONTACT | GROUP | GROUPS, max groups of a contact
--         | PLACES, max places of contacts in groups
--- include: account
--- include: groups
--- include: contact
--- include: look
local c = contact_load()
if not c then
    return {'CONTACT'}
end
local before = c[CONTACT.groups]
local groups, refused = groups_from(3)
if not groups then
    return refused
end
if #groups > 0 and not groups_room(#groups - #before) then
    return {'PLACES', max_places}
end
if ARGV[2] ~= '' then
    c[CONTACT.schedule] = ARGV[2]
end
if #groups > 0 then
    groups_count('c', c[CONTACT.groups], -1)
    groups_count('c', groups, 1)
    refs_write()
    c[CONTACT.groups] = groups
end
save(contact_key, c)
hears_change(ARGV[1], c, before)
pcall(look_at, ARGV[1], '*')
return {'OK'}
