-- Changes what a contact is notified about, and when.  The contact gets a
-- message about known listings that are no longer reported to it.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- arg: weight  the least of a listing (rbl_codes.h), or "": unchanged
--- arg: rhythm  or "": unchanged ("now": at once)
--- arg: quiet  or "": unchanged ("none": none)
--- arg: after  minutes, or "": unchanged
--- arg: checks  or "": unchanged
--- audit: contact
--- reply: OK
--- reply: CONTACT
--- include: account
--- include: contact_of
--- include: look
local changed = false
local function set(field, given, v)
    if given ~= '' then
        c[field], changed = v, true
    end
end
-- A field of an older record may be missing.
for field = CONTACT.weight, CONTACT.checks do
    local is_text = field == CONTACT.rhythm or field == CONTACT.quiet
    c[field] = c[field] or (is_text and '' or 0)
end
set(CONTACT.weight, ARG.weight, tonumber(ARG.weight))
set(CONTACT.rhythm, ARG.rhythm, ARG.rhythm ~= 'now' and ARG.rhythm or '')
set(CONTACT.quiet, ARG.quiet, ARG.quiet ~= 'none' and ARG.quiet or '')
set(CONTACT.after, ARG.after, tonumber(ARG.after))
set(CONTACT.checks, ARG.checks, tonumber(ARG.checks))
if not changed then
    by = nil
    return {'OK'}
end
save(contact_key, c)
call('DEL', key('when', ac, ARG.contact))
pcall(look_at, ARG.contact, '*')
pcall(look_at, ARG.contact, '+')
return {'OK'}
