-- Shows an application and its tokens.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- reply: OK record tokens[]  packed
--- reply: APP  no such application
--- row: token field record  packed
--- include: account
local raw = owns('apps', ARG.app) and call('GET', key('s', ac, ARG.app))
if not raw then
    return {'APP'}
end
local all, tokens = call('HGETALL', key('tokens', ac)), {}
for i = 1, #all, 2 do
    local token = all[i + 1] == ARG.app
        and call('GET', key('token', ac, all[i]))
    if token then
        tokens[#tokens + 1] = {all[i], token}
    end
end
return {'OK', raw, tokens}
