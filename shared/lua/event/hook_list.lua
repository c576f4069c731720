-- Shows a page of the receivers of an account, with their failures.
--- key: acct  acct:<AC>
--- arg: first  rank
--- arg: last  rank
--- reply: OK total# hooks[]
--- reply: ACCOUNT  there is none
--- row: hook record since# fails# till#  packed; ms, 0: none
--- include: exists
local hooks = {}
for _, sid in ipairs(call('ZRANGE', key('hooks', ac), ARG.first, ARG.last)) do
    local raw = call('GET', key('s', ac, sid))
    local f = call('HMGET', key('hook', ac, sid), 'since', 'fails', 'till')
    if raw then
        hooks[#hooks + 1] = {raw, f[1] or 0, f[2] or 0, f[3] or 0}
    end
end
return {'OK', call('ZCARD', key('hooks', ac)), hooks}
