-- The key of the contact in the argument `contact`, and its confirmation code.
--- include: events
--- include: hourly
--- include: hears
local contact_key = key('r', ac, ARG.contact)
-- Counts a code for an address, and returns nil.  If the address has been sent
-- max_codes within an hour, returns the seconds until it may be sent another
-- one.  The count outlives the contact.
local max_codes = 5
local function code_counted(type, value, now)
    return hourly(key('sent', ac, redis.sha1hex(type .. '|' .. value)),
        max_codes, now)
end
-- Makes a new code, which the daemon sends to the contact.  The record has only
-- its digest.  The event has the code itself until it is delivered or has
-- failed.
local function contact_code(c, a, digest, code, event, now)
    c[CONTACT.digest] = digest
    c[CONTACT.until] = now + 86400000
    c[CONTACT.tries] = 0
    emit(a[ACCOUNT.timezone], event, 'contact.confirm', now, '', '', '', false,
        0, no_results, 0, no_callbacks, '', c[CONTACT.id], code)
end
-- The name of a contact in the audit log, which must not hold secrets.
local function contact_name(c)
    local type = c[CONTACT.type]
    return (type == 'email' or type == 'sms') and c[CONTACT.value] or type
end
