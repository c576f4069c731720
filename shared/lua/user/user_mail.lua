-- Makes a link for the user with that address, and the event by which a
-- daemon mails it.  Without such a user it writes the same, so that the time,
-- with that of the disk and the replicas, does not tell who is known: a link
-- without a digest, by which no user signs in, and an event that the daemon
-- drops.
--- key: acct  acct:<AC>
--- arg: user  SID
--- arg: mail  in lower case
--- arg: field  of the link (16 hex)
--- arg: digest  of the link (32 bytes)
--- arg: secret  of the link (64 hex)
--- arg: link  "<AC>.<64 hex>", the digits of the digest
--- arg: event  SID
--- arg: url  of the portal
--- arg: from  address of the client
--- reply: OK
--- reply: USER  no active user has this SID and this address
--- include: user
--- include: events
local a, user = load(KEY.acct), user_of(ARG.user)
local known = a and user and user[USER.status] == 'active'
    and string.lower(user[USER.mail]) == ARG.mail
link_new(ARG.field, known and ARG.digest or '', ARG.user,
    ARG.secret)
emit(known and a[ACCOUNT.timezone] or 'UTC', ARG.event, 'user.link', now_ms(),
    ARG.url, '', ARG.from, false, 0, no_results, 0, no_callbacks,
    known and a[ACCOUNT.name] or '', ARG.user, ARG.link)
return {known and 'OK' or 'USER'}
