-- The contact that ARGV[1] names, and the code that confirms it.
--- include: events
--- include: alerts
--- use: account contact
local contact_key = key('r', ac, ARGV[1])
local function contact_load()
    return owns('contacts', ARGV[1]) and load(contact_key)
end
-- The key of when an address was sent a code, if that is less than a minute
-- ago: it outlives the contact.
local function code_sent(type, value)
    return key('sent', ac, redis.sha1hex(type .. '|' .. value))
end
-- How long it is until it may get one (s), or nil.
local function code_later(sent, now)
    local passed = sent and now - sent
    return passed and passed >= 0 and passed < 60000
        and math.ceil((60000 - passed) / 1000) or nil
end
-- A new code, which the daemon tells the contact.  The record has its digest
-- alone, the event the code itself until it is delivered or given up.
local function contact_code(c, a, digest, code, event, now)
    c[CONTACT.digest] = digest
    c[CONTACT.until] = now + 86400000
    c[CONTACT.tries] = 0
    call('SET', code_sent(c[CONTACT.type], c[CONTACT.value]), now, 'PX', 60000)
    emit(a[ACCOUNT.timezone], event, 'contact.confirm', now, '', '', '', false,
        0, no_results, 0, {}, '', c[CONTACT.id], code)
end
