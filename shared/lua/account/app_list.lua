-- Shows a page of the applications of an account, with their numbers of tokens.
--- key: acct  acct:<AC>
--- arg: first  rank
--- arg: last  rank
--- reply: OK total# apps[]
--- reply: ACCOUNT  there is none
--- row: app record tokens#  packed
--- include: exists
--- include: token_counts
local apps = {}
for _, sid in ipairs(call('ZRANGE', key('apps', ac), ARG.first, ARG.last)) do
    local raw = call('GET', key('s', ac, sid))
    if raw then
        apps[#apps + 1] = {raw, tokens[sid] or 0}
    end
end
return {'OK', call('ZCARD', key('apps', ac)), apps}
