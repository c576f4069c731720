-- Deletes a passkey of a user.  Sessions that it started go on.
--- key: acct  acct:<AC>
--- arg: passkey  SID
--- arg: user  SID
--- audit: passkey
--- reply: OK
--- reply: PASSKEY  the user has no such passkey
--- include: passkey
local passkey = passkey_load()
if not passkey then
    return {'PASSKEY'}
end
call('HDEL', passkeys, ARG.passkey)
named = passkey[PASSKEY.name]
return {'OK'}
