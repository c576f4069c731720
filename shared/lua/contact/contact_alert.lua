-- Changes what a contact is told: it gets a message about listings that are not
-- told to it from now on.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- arg: weight  the least of a listing (rbl_codes.h), or "": unchanged
--- audit: contact
--- reply: OK
--- reply: CONTACT
--- include: account
--- include: contact_of
--- include: look
if ARG.weight == '' then
    by = nil
    return {'OK'}
end
c[CONTACT.weight] = tonumber(ARG.weight)
save(contact_key, c)
pcall(look_at, ARG.contact, '*')
return {'OK'}
