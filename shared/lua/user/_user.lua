-- Users of an account, their links and their sessions.  A session ends after 12
-- hours without a request (its TTL), or 7 days after the sign-in (the module).
--- include: account_save
local link_lives, session_idles = 15 * 60000, 12 * 3600000
local links_most = 5
local session_lives = 7 * 86400000
local function user_of(sid)
    local user = load(key('user', ac, sid))
    return user and owns('users', sid) and user
end
-- A user has some links at a time; the oldest ones end.
local function links_end(index, last)
    for _, field in ipairs(call('ZRANGE', index, 0, last)) do
        call('DEL', key('link', ac, field))
        call('ZREM', index, field)
    end
end
local function link_new(field, digest, sid, mailed)
    local k, index = key('link', ac, field), key('links', ac, sid)
    local now = now_ms()
    links_end(index, -links_most)
    save(k, {1, digest, sid, now, mailed})
    call('PEXPIRE', k, link_lives)
    call('ZADD', index, now, field)
    call('PEXPIRE', index, link_lives)
end
-- Caches of nginx rely on the totals (account_save).
local function session_end(index, field)
    totals_renew()
    call('DEL', key('session', ac, field))
    call('ZREM', index, field)
end
-- Ends all sessions and links of a user, and sign-ins by passkey that were
-- begun.  How many sessions and links there were.
local function signout(sid)
    local ok, user = pcall(user_of, sid)
    if ok and user then
        user[USER.confirmed] = user[USER.confirmed] or 0
        user[USER.ended] = now_ms()
        save(key('user', ac, sid), user)
    end
    local index, links = key('sessions', ac, sid), key('links', ac, sid)
    local fields, n = call('ZRANGE', index, 0, -1), call('ZCARD', links)
    for _, field in ipairs(fields) do
        session_end(index, field)
    end
    links_end(links, -1)
    return #fields, n
end
