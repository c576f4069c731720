-- Ends all sessions and links of a user, also of one whose record is damaged.
--- key: acct  acct:<AC>
--- arg: user  SID
--- audit: user
--- reply: OK sessions# links#  how many were ended
--- reply: USER  no such user
--- include: user
if not owns('users', ARG.user) then
    return {'USER'}
end
local ok, user = pcall(user_of, ARG.user)
named = ok and user and user[USER.mail]
local ended, links = signout(ARG.user)
if ended + links == 0 then
    by = nil
end
return {'OK', ended, links}
