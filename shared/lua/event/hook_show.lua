-- Shows a receiver, its failures, and how many events wait for it.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- reply: OK record since# fails# till# pending# dead#  packed; ms, 0: none;
--          dead: dead letters of the account
--- reply: HOOK  no such receiver
--- include: hook
local raw = owns('hooks', ARG.hook) and call('GET', hook_key)
if not raw then
    return {'HOOK'}
end
local f = call('HMGET', key('hook', ac, ARG.hook), 'since', 'fails', 'till')
return {'OK', raw, f[1] or 0, f[2] or 0, f[3] or 0,
    call('ZLEXCOUNT', key('pending', ac), '[' .. ARG.hook .. ':',
        '(' .. ARG.hook .. ';'),
    call('XLEN', key('dead', ac))}
