-- Puts a user into the index of users by their mail address.  An account has
-- one place there, so that it cannot take those of others.
--- key: mail  mail:<hash>
--- arg: member  "<AC>:<US>"
--- arg: confirmed  when the address was (ms), or "0"
--- reply: OK
--- include: base
local account = ARG.member:sub(1, 35)
for _, member in ipairs(call('ZRANGE', KEY.mail, 0, 999)) do
    if member:sub(1, 35) == account and member ~= ARG.member then
        call('ZREM', KEY.mail, member)
    end
end
call('ZADD', KEY.mail, ARG.confirmed == '0' and '+inf' or ARG.confirmed,
    ARG.member)
return {'OK'}
