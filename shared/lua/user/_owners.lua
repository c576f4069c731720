-- An account keeps an owner, who can add users and change their roles.
local function last_owner(user)
    if user[USER.role] ~= 'owner' then
        return false
    end
    for _, sid in ipairs(call('ZRANGE', key('users', ac), 0, -1)) do
        local other = sid ~= user[USER.id] and load(key('user', ac, sid))
        if other and other[USER.role] == 'owner' then
            return false
        end
    end
    return true
end
