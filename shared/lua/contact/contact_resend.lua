-- Sends a pending contact a new code, at most once a minute; the last one ends.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- arg: digest  of the code
--- arg: code
--- arg: event  SID
--- audit: contact
--- reply: OK
--- reply: CONTACT
--- reply: CONFIRMED
--- reply: LATER seconds#
--- reply: CODES seconds#  its address was sent many within the hour
--- reply: ACCOUNT
--- include: account
--- include: contact
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
local c = contact_load()
if not c then
    return {'CONTACT'}
end
named = contact_name(c)
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
contact_code(c, a, ARG.digest, ARG.code, ARG.event, now)
save(contact_key, c)
return {'OK'}
