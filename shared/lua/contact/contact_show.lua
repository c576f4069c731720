-- Shows a contact.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- reply: OK record  packed
--- reply: CONTACT
--- include: account
local raw = owns('contacts', ARG.contact)
    and call('GET', key('r', ac, ARG.contact))
return raw and {'OK', raw} or {'CONTACT'}
