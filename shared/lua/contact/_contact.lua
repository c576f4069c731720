-- The contact that the argument `contact` names, and the code that confirms it.
--- include: events
--- include: hourly
--- include: hears
--- use: account contact
local contact_key = key('r', ac, ARG.contact)
local function contact_load()
    return owns('contacts', ARG.contact) and load(contact_key)
end
-- How many codes an address was sent within an hour, and since when: what is
-- known of that outlives the contact.
local max_codes = 5
local function codes_sent(type, value, now)
    local k = key('sent', ac, redis.sha1hex(type .. '|' .. value))
    local n, since = hourly(k, now)
    return n, since, k
end
-- A new code, which the daemon tells the contact.  The record has its digest
-- alone, the event the code itself until it is delivered or given up.
local function contact_code(c, a, digest, code, event, now)
    c[CONTACT.digest] = digest
    c[CONTACT.until] = now + 86400000
    c[CONTACT.tries] = 0
    local n, since, k = codes_sent(c[CONTACT.type], c[CONTACT.value], now)
    hourly_add(k, n, since, now)
    emit(a[ACCOUNT.timezone], event, 'contact.confirm', now, '', '', '', false,
        0, no_results, 0, no_callbacks, '', c[CONTACT.id], code)
end
-- The name of a contact in the audit log, which must not hold secrets.
local function contact_name(c)
    local type = c[CONTACT.type]
    return (type == 'email' or type == 'sms') and c[CONTACT.value] or type
end
