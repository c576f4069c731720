-- Deletes a user, the user's sessions, links and passkeys.
--- key: acct  acct:<AC>
--- arg: user  SID
--- arg: last  "1": also the last owner
--- audit: user
--- reply: OK ended# mail  number of sessions; the user's address
--- reply: USER  no such user
--- reply: LAST  nobody else is an owner
--- include: user_of
--- include: owners
if ARG.last ~= '1' and last_owner(user) then
    return {'LAST'}
end
local ended = signout(ARG.user)
call('ZREM', key('users', ac), ARG.user)
call('DEL', key('user', ac, ARG.user), key('keys', ac, ARG.user))
return {'OK', ended, user[USER.mail]}
