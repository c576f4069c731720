-- Changes what a contact is notified about, and when.  It gets a message about
-- listings that are not reported to it from now on.
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
local function set(field, v)
    if v ~= '' then
        c[field], changed = v, true
    end
end
-- A field of an older record may be missing.
for field = CONTACT.weight, CONTACT.checks do
    local is_text = field == CONTACT.rhythm or field == CONTACT.quiet
    c[field] = c[field] or (is_text and '' or 0)
end
set(CONTACT.weight, tonumber(ARG.weight) or '')
set(CONTACT.rhythm, ARG.rhythm)
set(CONTACT.quiet, ARG.quiet)
set(CONTACT.after, tonumber(ARG.after) or '')
set(CONTACT.checks, tonumber(ARG.checks) or '')
if not changed then
    by = nil
    return {'OK'}
end
c[CONTACT.rhythm] = ARG.rhythm == 'now' and '' or c[CONTACT.rhythm]
c[CONTACT.quiet] = ARG.quiet == 'none' and '' or c[CONTACT.quiet]
save(contact_key, c)
call('DEL', key('when', ac, ARG.contact))
pcall(look_at, ARG.contact, '*')
pcall(look_at, ARG.contact, '+')
return {'OK'}
