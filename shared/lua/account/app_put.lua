-- Makes an application with its first token.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: name
--- arg: secret  for callbacks
--- arg: field  of the token (16 hex)
--- arg: digest  of the token (32 bytes)
--- audit: app
--- reply: OK record
--- reply: ACCOUNT  there is none
--- reply: LIMIT most#  as many applications as there may be, revoked ones too
--- reply: TOKENS most#  as many tokens as the account may have
--- include: exists
--- include: app
local most = 1000
if call('ZCARD', key('apps', ac)) >= most then
    return {'LIMIT', most}
end
local full = tokens_full()
if full then
    return full
end
local now = now_ms()
named = ARG.name
local app = {1, ARG.app, ARG.name, 'active', ARG.secret, now, {}, {}}
save(key('s', ac, ARG.app), app)
call('ZADD', key('apps', ac), now, ARG.app)
token_new(ARG.field, ARG.digest, app)
return {'OK', cmsgpack.pack(app)}
