-- Ends a session; or all sessions of its user, and the links of the user.
--- key: acct  acct:<AC>
--- arg: field  of the session (16 hex)
--- arg: everywhere  "1": all of the user, or "0"
--- audit
--- reply: OK ended#  number of sessions
--- include: user
local session = load(key('session', ac, ARG.field))
if not session then
    by = nil
    return {'OK', 0}
end
about, named = session[SESSION.user], session[SESSION.mail]
if ARG.everywhere == '1' then
    return {'OK', (signout(about))}
end
session_end(key('sessions', ac, about), ARG.field)
return {'OK', 1}
