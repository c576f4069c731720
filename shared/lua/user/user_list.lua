-- Shows the users of an account.
--- key: acct  acct:<AC>
--- reply: OK users[]  packed
--- reply: ACCOUNT  there is none
--- include: exists
local users = {}
for _, sid in ipairs(call('ZRANGE', key('users', ac), 0, -1)) do
    users[#users + 1] = call('GET', key('user', ac, sid)) or nil
end
return {'OK', users}
