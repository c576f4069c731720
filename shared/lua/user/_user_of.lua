-- Steps of a script about a user who exists: the record `user`.
--- include: user
--- sets: named user
local user = user_of(ARG.user)
if not user then
    return {'USER'}
end
named = user[USER.mail]
