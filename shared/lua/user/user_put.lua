-- Makes a user, and a link by which the user signs in.
--- key: acct  acct:<AC>
--- arg: user  SID
--- arg: mail
--- arg: name
--- arg: role  owner, admin or viewer
--- arg: field  of the link (16 hex)
--- arg: digest  of the link (32 bytes)
--- arg: sure  "1": the address is known to be the user's, or "0"
--- audit: user
--- reply: OK confirmed#  when the address was (ms), or 0
--- reply: ACCOUNT  there is none
--- reply: MAIL user  which has this address
--- reply: LIMIT most#  as many users as there may be
--- include: exists
--- include: user
local most = 100
local mail = string.lower(ARG.mail)     -- as the index of addresses has it
local users = call('ZRANGE', key('users', ac), 0, -1)
for _, sid in ipairs(users) do
    local user = load(key('user', ac, sid))
    if user and string.lower(user[USER.mail]) == mail then
        return {'MAIL', sid}
    end
end
if #users >= most then
    return {'LIMIT', most}
end
local now = now_ms()
local confirmed = ARG.sure == '1' and now or 0
named = ARG.mail
save(key('user', ac, ARG.user), {1, ARG.user, ARG.mail, ARG.name, ARG.role,
    'active', now, 0, confirmed})
call('ZADD', key('users', ac), now, ARG.user)
link_new(ARG.field, ARG.digest, ARG.user)
return {'OK', confirmed}
