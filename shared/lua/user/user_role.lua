-- Changes the role of a user, also in the user's sessions.
--- key: acct  acct:<AC>
--- arg: user  SID
--- arg: role  owner, admin or viewer
--- audit: user
--- reply: OK
--- reply: USER  no such user
--- reply: LAST  nobody else is an owner
--- include: user_of
--- include: owners
if ARG.role ~= 'owner' and last_owner(user) then
    return {'LAST'}
end
totals_renew()
user[USER.role] = ARG.role
save(key('user', ac, ARG.user), user)
for _, field in ipairs(call('ZRANGE', key('sessions', ac, ARG.user), 0, -1)) do
    local k = key('session', ac, field)
    local session = load(k)
    if session then
        session[SESSION.role] = ARG.role
        call('SET', k, cmsgpack.pack(session), 'KEEPTTL')
    end
end
return {'OK'}
