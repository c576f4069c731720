-- Makes a webhook receiver.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- arg: name
--- arg: url
--- arg: secret
--- arg: types...  of events (none: all)
--- audit: hook
--- reply: OK record  packed
--- reply: LIMIT max#  receivers
--- reply: ACCOUNT  there is none
--- include: exists
local max_hooks = 100
if call('ZCARD', key('hooks', ac)) >= max_hooks then
    return {'LIMIT', max_hooks}
end
local types = {}
for i = ARG.types, #ARGV do
    types[#types + 1] = ARGV[i]
end
local now = now_ms()
named = ARG.name
local raw = cmsgpack.pack({1, ARG.hook, ARG.name, ARG.url, types, ARG.secret,
    'active', now, '', 0, 0, ''})
call('SET', key('s', ac, ARG.hook), raw)
call('ZADD', key('hooks', ac), now, ARG.hook)
return {'OK', raw}
