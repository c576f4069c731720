-- Deletes a user and ends the user's sessions.  A link that was not used yet
-- leads nowhere (session_start).
--- key: acct  acct:<AC>
--- arg: user  SID
--- reply: OK ended#  number of sessions
--- reply: USER  no such user
--- include: user
if not user_of(ARG.user) then
    return {'USER'}
end
local index = key('sessions', ac, ARG.user)
local fields = call('ZRANGE', index, 0, -1)
for _, field in ipairs(fields) do
    session_end(index, field)
end
call('ZREM', key('users', ac), ARG.user)
call('DEL', key('user', ac, ARG.user))
return {'OK', #fields}
