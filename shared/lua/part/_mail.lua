-- Puts a user, "<AC>:<US>", into the index of users by their mail address.  An
-- account has one place there, so that it cannot take those of others.
-- confirmed: when the address was (ms), or "0".
local function mail_put(user, confirmed)
    for _, member in ipairs(call('ZRANGE', KEYS[1], 0, 999)) do
        if member:sub(1, 35) == user:sub(1, 35) and member ~= user then
            call('ZREM', KEYS[1], member)
        end
    end
    call('ZADD', KEYS[1], confirmed == '0' and '+inf' or confirmed, user)
end
