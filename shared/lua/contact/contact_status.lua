-- Pauses or resumes a confirmed contact.  A second call is no error and has no
-- effect.  A resumed contact gets a message about known listings that have
-- ended meanwhile.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- arg: status  active, paused
--- audit: contact
--- reply: OK
--- reply: CONTACT
--- reply: PENDING
--- include: account
--- include: contact_of
--- include: look
if c[CONTACT.status] == 'pending' then
    return {'PENDING'}
end
c[CONTACT.status] = ARG.status
save(contact_key, c)
hears_change(ARG.contact, c)
if ARG.status == 'active' then
    pcall(look_at, ARG.contact, '*')
end
return {'OK'}
