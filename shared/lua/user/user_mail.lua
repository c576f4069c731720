-- Makes a link for the user with that address, and the event by which a daemon
-- mails it.
--- key: acct  acct:<AC>
--- arg: user  SID
--- arg: mail  in lower case
--- arg: field  of the link (16 hex)
--- arg: digest  of the link (32 bytes)
--- arg: link  "<AC>.<64 hex>"
--- arg: event  SID
--- arg: url  of the portal
--- arg: from  address of the client
--- reply: OK
--- reply: USER  no active user has this SID and this address
--- include: user
--- include: events
--- use: account
local a, user = load(KEY.acct), user_of(ARG.user)
if not a or not user or user[USER.status] ~= 'active'
    or string.lower(user[USER.mail]) ~= ARG.mail
then
    return {'USER'}
end
link_new(ARG.field, ARG.digest, ARG.user, 1)
emit(a[ACCOUNT.timezone], ARG.event, 'user.link', now_ms(), ARG.url, '',
    ARG.from, false, 0, no_results, 0, no_callbacks, a[ACCOUNT.name], ARG.user,
    ARG.link)
return {'OK'}
