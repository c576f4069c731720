-- Uses a link, which is thereby gone, and starts a session.
--- key: acct  acct:<AC>
--- arg: link  field of the link (16 hex)
--- arg: proof  digest of the link (32 bytes)
--- arg: field  of the session
--- arg: digest  of the session
--- audit
--- reply: OK user mail name role made#
--- reply: LINK  it does not exist, has expired or was used
--- include: session_new
--- use: link
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
return session_new(user, ARG.field, ARG.digest)
