-- Deletes a passkey of a user.  Sessions that it started go on.
--- key: acct  acct:<AC>
--- arg: passkey  SID
--- arg: user  SID
--- audit: passkey
--- reply: OK
--- reply: PASSKEY  the user has no such passkey
--- include: account
if call('HDEL', key('keys', ac, ARG.user), ARG.passkey) == 0 then
    return {'PASSKEY'}
end
return {'OK'}
