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
local index, links = key('sessions', ac, ARG.user), key('links', ac, ARG.user)
local fields = call('ZRANGE', index, 0, -1)
for _, field in ipairs(fields) do
    session_end(index, field)
end
local n = call('ZCARD', links)
links_end(links, -1)
if #fields + n == 0 then
    by = nil
end
return {'OK', #fields, n}
