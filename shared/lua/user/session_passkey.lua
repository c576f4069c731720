-- Starts a session by a passkey, whose signature was checked.
--- key: acct  acct:<AC>
--- arg: passkey  SID
--- arg: user  SID
--- arg: counter  that was signed; 0: the passkey does not count
--- arg: field  of the session (16 hex)
--- arg: digest  of the session
--- arg: before  field of the session whose cookie came with the call, or ""
--- arg: was  digest of that (32 bytes), or ""
--- arg: begun  when the challenge was made (ms)
--- audit
--- reply: OK user mail name role made#
--- reply: PASSKEY  deleted meanwhile, or its user is
--- reply: ENDED  the user's sessions and sign-ins have ended since it was begun
--- reply: COUNTER  it went back: there may be a copy of the passkey
--- include: session_new
--- include: passkey
local user = user_of(ARG.user)
local passkey = passkey_load()
if not passkey or not user or user[USER.status] ~= 'active' then
    return {'PASSKEY'}
end
if tonumber(ARG.begun) <= (user[USER.ended] or 0) then
    return {'ENDED'}
end
local counter, last = tonumber(ARG.counter), passkey[PASSKEY.counter]
if (counter > 0 or last > 0) and counter <= last then
    return {'COUNTER'}
end
about, named = ARG.user, user[USER.mail]
session_before(about, ARG.before, ARG.was)
local new = session_new(user, ARG.field, ARG.digest)
passkey[PASSKEY.counter], passkey[PASSKEY.used] = counter, new[6]
passkey_save(passkey)
return new
