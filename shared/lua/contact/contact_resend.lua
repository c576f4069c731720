-- Sends a pending contact a new code, at most once a minute; the last one ends.
-- KEYS[1] acct:<AC>
-- ARGV    1 contact SID  2 digest of the code  3 the code  4 event SID
-- Result  OK | CONTACT | CONFIRMED | LATER, seconds | CODES, seconds: its
--         address was sent many within the hour | ACCOUNT
--- include: account
--- include: contact
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local c = contact_load()
if not c then
    return {'CONTACT'}
end
if c[CONTACT.status] ~= 'pending' then
    return {'CONFIRMED'}
end
local now = now_ms()
local passed = now - c[CONTACT.sent]
if passed >= 0 and passed < 60000 then
    return {'LATER', math.ceil((60000 - passed) / 1000)}
end
local sent, since = codes_sent(c[CONTACT.type], c[CONTACT.value], now)
if sent >= max_codes then
    return {'CODES', math.ceil((since + hour - now) / 1000)}
end
c[CONTACT.sent] = now
contact_code(c, a, ARGV[2], ARGV[3], ARGV[4], now)
save(contact_key, c)
return {'OK'}
