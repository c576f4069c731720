-- Shows a page of the applications of an account, with their numbers of tokens.
--- key: acct  acct:<AC>
--- arg: first  rank
--- arg: last  rank
--- reply: OK total# apps[]
--- reply: ACCOUNT  there is none
--- row: app record tokens#  packed
--- include: exists
local all, tokens, apps = call('HGETALL', key('tokens', ac)), {}, {}
for i = 2, #all, 2 do
    tokens[all[i]] = (tokens[all[i]] or 0) + 1
end
for _, sid in ipairs(call('ZRANGE', key('apps', ac), ARG.first, ARG.last)) do
    local raw = call('GET', key('s', ac, sid))
    if raw then
        apps[#apps + 1] = {raw, tokens[sid] or 0}
    end
end
return {'OK', call('ZCARD', key('apps', ac)), apps}
