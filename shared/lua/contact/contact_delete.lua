-- Deletes a contact.  What was to be delivered to it finds no contact.
-- KEYS[1] acct:<AC>
-- ARGV    1 contact SID
-- Result  OK | CONTACT
--- include: account
--- include: groups
--- include: contact
local c = contact_load()
if not c then
    return {'CONTACT'}
end
groups_count('c', c[CONTACT.groups], -1)
refs_write()
call('ZREM', key('contacts', ac), ARGV[1])
call('DEL', contact_key, key('open', ac, ARGV[1]),
    key('ends', ac, ARGV[1]))
hears_change(ARGV[1], nil, c[CONTACT.groups])
return {'OK'}
