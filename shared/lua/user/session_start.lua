-- Uses a link, which is thereby gone, and starts a session.
--- key: acct  acct:<AC>
--- arg: link  field of the link (16 hex)
--- arg: proof  digest of the link (32 bytes)
--- arg: field  of the session
--- arg: digest  of the session
--- audit
--- reply: OK user mail name role made#
--- reply: LINK  it does not exist, has expired or was used
--- include: user
--- use: link
local most = 20
local k = key('link', ac, ARG.link)
local link = load(k)
if not link or link[LINK.digest] ~= ARG.proof then
    return {'LINK'}
end
local sid = link[LINK.user]
local user = user_of(sid)
call('DEL', k)
call('ZREM', key('links', ac, sid), ARG.link)
if not user or user[USER.status] ~= 'active' then
    return {'LINK'}
end
about, named = sid, user[USER.mail]
local now, index = now_ms(), key('sessions', ac, sid)
call('ZREMRANGEBYSCORE', index, '-inf', now - session_lives)
local excess = call('ZCARD', index) + 1 - most
if excess > 0 then
    for _, field in ipairs(call('ZRANGE', index, 0, excess - 1)) do
        session_end(index, field)
    end
end
local session = key('session', ac, ARG.field)
save(session, {1, ARG.digest, sid, user[USER.role], now,
    user[USER.mail]})
call('PEXPIRE', session, session_idles)
call('ZADD', index, now, ARG.field)
call('PEXPIRE', index, session_lives)
user[USER.seen] = now
save(key('user', ac, sid), user)
return {'OK', sid, user[USER.mail], user[USER.name], user[USER.role], now}
