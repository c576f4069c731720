-- Deletes a contact.  Its pending deliveries end when they are claimed.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- audit: contact
--- reply: OK
--- reply: CONTACT
--- include: account
--- include: refs
--- include: contact_of
groups_count('c', c[CONTACT.groups], -1)
refs_write()
call('ZREM', key('contacts', ac), ARG.contact)
call('DEL', contact_key, key('open', ac, ARG.contact),
    key('ends', ac, ARG.contact), key('held', ac, ARG.contact))
hears_change(ARG.contact, nil, c[CONTACT.groups])
return {'OK'}
