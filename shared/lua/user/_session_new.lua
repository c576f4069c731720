-- Starts a session of a user, which is loaded; the oldest of too many end.
-- identity: what it is bound to, or nothing.
--- include: user
local sessions_most = 20
-- Ends the session that the browser had before, if it is of the same user: its
-- cookie is replaced, and no page could end it.
local function session_before(sid, field, digest)
    local old = field ~= '' and load(key('session', ac, field))
    if old and old[SESSION.digest] == digest and old[SESSION.user] == sid then
        session_end(key('sessions', ac, sid), field)
    end
end
local function session_new(user, field, digest, identity)
    local sid, now = user[USER.id], now_ms()
    local index = key('sessions', ac, sid)
    call('ZREMRANGEBYSCORE', index, '-inf', now - session_lives)
    local excess = call('ZCARD', index) + 1 - sessions_most
    if excess > 0 then
        for _, old in ipairs(call('ZRANGE', index, 0, excess - 1)) do
            session_end(index, old)
        end
    end
    local session = key('session', ac, field)
    save(session, {1, digest, sid, user[USER.role], now,
        user[USER.mail], identity or ''})
    call('PEXPIRE', session, session_idles)
    call('ZADD', index, now, field)
    call('PEXPIRE', index, session_lives)
    user[USER.seen] = now
    save(key('user', ac, sid), user)
    return {'OK', sid, user[USER.mail], user[USER.name], user[USER.role], now}
end
