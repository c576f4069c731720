-- Ends a session; or all sessions of its user, and the links of the user.
--- key: acct  acct:<AC>
--- arg: field  of the session (16 hex)
--- arg: everywhere  "1": all of the user, or "0"
--- audit
--- reply: OK ended#  number of sessions
--- include: user
--- use: session
local session = load(key('session', ac, ARG.field))
if not session then
    by = nil
    return {'OK', 0}
end
about, named = session[SESSION.user], session[SESSION.mail] or ''
local index = key('sessions', ac, about)
local fields = {ARG.field}
if ARG.everywhere == '1' then
    fields = call('ZRANGE', index, 0, -1)
    links_end(key('links', ac, about), -1)
end
for _, field in ipairs(fields) do
    session_end(index, field)
end
return {'OK', #fields}
