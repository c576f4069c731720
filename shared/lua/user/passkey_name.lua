-- Names a passkey of a user.
--- key: acct  acct:<AC>
--- arg: passkey  SID
--- arg: user  SID
--- arg: name
--- audit: passkey
--- reply: OK
--- reply: PASSKEY  the user has no such passkey
--- include: passkey
local passkey = passkey_load()
if not passkey then
    return {'PASSKEY'}
end
passkey[PASSKEY.name] = ARG.name
passkey_save(passkey)
named = ARG.name
return {'OK'}
