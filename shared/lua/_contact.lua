-- The contact that ARGV[1] names, and the code that confirms it.
--- include: events
--- include: alerts
--- use: account contact
local contact_key = key('r', ac, ARGV[1])
local function contact_load()
    return owns('contacts', ARGV[1]) and load(contact_key)
end
-- A new code, which the daemon tells the contact.  The record has its digest
-- alone, the event the code itself until it is delivered or given up.
local function contact_code(c, a, digest, code, event, now)
    c[CONTACT.digest] = digest
    c[CONTACT.until] = now + 86400000
    c[CONTACT.tries] = 0
    emit(a[ACCOUNT.timezone], event, 'contact.confirm', now, '', '', '', false,
        0, no_results, 0, {}, '', c[CONTACT.id], code)
end
