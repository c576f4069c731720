-- Sends a test message to an active contact, at most once a minute.
--- key: acct  acct:<AC>
--- arg: contact  SID
--- arg: event  SID
--- arg: type
--- arg: body
--- audit: contact
--- reply: OK
--- reply: CONTACT
--- reply: PENDING
--- reply: PAUSED
--- reply: SOON seconds#  a message was sent within the last minute
--- include: account
--- include: contact_of
--- include: single
if c[CONTACT.status] ~= 'active' then
    return {c[CONTACT.status] == 'paused' and 'PAUSED' or 'PENDING'}
end
local now = now_ms()
local passed = now - c[CONTACT.sent]
if passed >= 0 and passed < 60000 then
    return {'SOON', math.ceil((60000 - passed) / 1000)}
end
c[CONTACT.sent] = now
save(contact_key, c)
deliver_single(ARG.event, ARG.contact, ARG.type, ARG.body, nil, 'test', '1')
return {'OK'}
