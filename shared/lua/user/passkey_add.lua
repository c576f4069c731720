-- Adds a passkey to a user, by a challenge that this session was given.
--- key: acct  acct:<AC>
--- arg: passkey  SID
--- arg: user  SID
--- arg: session  its field (16 hex)
--- arg: challenge  64 hex digits
--- arg: name
--- arg: credential  its id, raw
--- arg: algorithm
--- arg: key  public, a COSE_Key
--- arg: counter
--- arg: rp  SHA-256 of the site's name, raw
--- audit: passkey
--- reply: OK
--- reply: CHALLENGE  it has expired, was used, or is of another session
--- reply: USER
--- reply: EXISTS
--- reply: LIMIT most#  of a user
--- include: passkey
local most = 10
local challenge = key('challenge', ac, ARG.challenge)
if call('GET', challenge) ~= ARG.session then
    return {'CHALLENGE'}
end
local user = user_of(ARG.user)
if not user or user[USER.status] ~= 'active' then
    return {'USER'}
end
if passkey_load() then
    return {'EXISTS'}
end
if call('HLEN', passkeys) >= most then
    return {'LIMIT', most}
end
call('DEL', challenge)
passkey_save({1, ARG.passkey, ARG.credential, tonumber(ARG.algorithm), ARG.key,
    tonumber(ARG.counter), ARG.name, now_ms(), 0, ARG.rp})
named = ARG.name
return {'OK'}
