-- Confirms a pending contact.  A refusal only counts the wrong code; after five
-- of them no code is accepted until a new one is sent.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- arg: digest  of the code given
--- audit: contact
--- reply: OK
--- reply: CONTACT
--- reply: CONFIRMED
--- reply: CODE  wrong or too old
--- reply: LOCKED
--- include: account
--- include: contact_of
local max_tries = 5
if c[CONTACT.status] ~= 'pending' then
    return {'CONFIRMED'}
end
if c[CONTACT.tries] >= max_tries then
    return {'LOCKED'}
end
local right = c[CONTACT.digest] ~= '' and c[CONTACT.digest] == ARG.digest
    and now_ms() < c[CONTACT.until]
if right then
    c[CONTACT.status] = 'active'
    c[CONTACT.digest] = ''
    c[CONTACT.until] = 0
    c[CONTACT.tries] = 0
else
    c[CONTACT.tries] = c[CONTACT.tries] + 1
end
save(contact_key, c)
if right then
    hears_change(ARG.contact, c)
end
return {right and 'OK' or 'CODE'}
