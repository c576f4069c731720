-- Sends a pending contact a new code, at most once a minute.  The code before
-- it is no longer valid.
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
--- reply: CODES seconds#  until its address may be sent another one
--- reply: ACCOUNT
--- include: account
--- include: contact
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
--- include: contact_of
if c[CONTACT.status] ~= 'pending' then
    return {'CONFIRMED'}
end
local now = now_ms()
local passed = now - c[CONTACT.sent]
if passed >= 0 and passed < 60000 then
    return {'LATER', math.ceil((60000 - passed) / 1000)}
end
local later = code_counted(c[CONTACT.type], c[CONTACT.value], now)
if later then
    return {'CODES', later}
end
c[CONTACT.sent] = now
contact_code(c, a, ARG.digest, ARG.code, ARG.event, now)
save(contact_key, c)
return {'OK'}
