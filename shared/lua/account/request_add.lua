-- Queues what an operator wants of an account.  A daemon carries it out
-- (request_take.lua): nginx may neither make an account nor change the record
-- of one.
--- key: acct  acct:<AC> of the operators
--- arg: account  SID of the account that is meant
--- arg: kind  account (a new one), owner or plan
--- arg: name  of the new account, or of the owner, or ""
--- arg: plan  or "": none
--- arg: mail  of the owner, or "": none
--- arg: profile  SID for the new account
--- arg: group  SID for the new account
--- arg: user  SID for the owner
--- arg: field  of the owner's link (16 hex)
--- arg: digest  of the link (32 bytes)
--- audit: account
--- reply: OK id
--- reply: ACCOUNT  there are no operators
--- reply: MANY most#  as many wait
--- reply: SAME  the same one waits
--- include: exists
local most = 20
local requests = key('requests', ac)
local waiting = call('HGETALL', requests)
if #waiting >= 2 * most then
    return {'MANY', most}
end
for i = 2, #waiting, 2 do
    local ok, r = pcall(cmsgpack.unpack, waiting[i])
    if ok and type(r) == 'table' and r[REQUEST.kind] == ARG.kind
        and r[REQUEST.name] == ARG.name and r[REQUEST.plan] == ARG.plan
        and r[REQUEST.mail] == ARG.mail
        and (ARG.kind == 'account' or r[REQUEST.account] == ARG.account)
    then
        return {'SAME'}
    end
end
named = ARG.kind == 'account' and ARG.name or ARG.kind == 'owner' and ARG.mail
    or ARG.plan
local id = string.format('%.0f', call('INCR', key('seq', ac)))
call('HSET', requests, id, cmsgpack.pack({1, id, ARG.kind, ARG.account,
    ARG.name, ARG.plan, ARG.mail, ARG.profile, ARG.group, ARG.user, ARG.field,
    ARG.digest, by, now_ms(), 'waiting', '', 0, 0, 0}))
return {'OK', id}
