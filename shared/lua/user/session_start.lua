-- Starts a session.  It uses a link, which is thereby gone; or nginx vouches
-- for the user's address, to which the session is bound.
--- key: acct  acct:<AC>
--- arg: link  field of the link (16 hex), or ""
--- arg: proof  digest of the link (32 bytes), or ""
--- arg: field  of the session
--- arg: digest  of the session
--- arg: user  SID, if there is no link; or ""
--- arg: mail  in lower case, if there is no link
--- arg: identity  SHA-256 of that (32 bytes)
--- arg: before  field of the session whose cookie came with the call, or ""
--- arg: was  digest of that (32 bytes), or ""
--- audit
--- reply: OK user mail name role made# confirmed#  when the address was (ms),
--          if this sign-in shows that it is the user's; or 0
--- reply: LINK  it does not exist, has expired or was used
--- reply: USER  no active user has this SID and this address
--- include: session_new
local function by_link()
    local k = key('link', ac, ARG.link)
    local link = load(k)
    if not link or link[LINK.digest] ~= ARG.proof then
        return nil
    end
    call('DEL', k)
    call('ZREM', key('links', ac, link[LINK.user]), ARG.link)
    return user_of(link[LINK.user]), link[LINK.mailed]
end
local function by_address()
    local user = user_of(ARG.user)
    return user and string.lower(user[USER.mail]) == ARG.mail and user
end
local bound = ARG.link == ''
local user, sure
if bound then
    user, sure = by_address(), true
else
    user, sure = by_link()
end
if not user or user[USER.status] ~= 'active' then
    return {bound and 'USER' or 'LINK'}
end
about, named = user[USER.id], user[USER.mail]
session_before(about, ARG.before, ARG.was)
local confirms = sure and (user[USER.confirmed] or 0) == 0
if confirms then
    user[USER.confirmed] = now_ms()
end
local reply = session_new(user, ARG.field, ARG.digest, ARG.identity)
reply[#reply + 1] = confirms and user[USER.confirmed] or 0
return reply
