-- Users of an account, their links and their sessions.  A session ends after 12
-- hours without a request (its TTL), or 7 days after the sign-in (the module).
--- include: account_save
--- use: user
local link_lives, session_idles = 15 * 60000, 12 * 3600000
local session_lives = 7 * 86400000
local function user_of(sid)
    local user = load(key('user', ac, sid))
    return user and owns('users', sid) and user
end
local function link_new(field, digest, sid)
    local k = key('link', ac, field)
    save(k, {1, digest, sid, now_ms()})
    call('PEXPIRE', k, link_lives)
end
-- Caches of nginx rely on the totals (account_save).
local function session_end(index, field)
    totals_renew()
    call('DEL', key('session', ac, field))
    call('ZREM', index, field)
end
