-- Makes a webhook receiver.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- arg: name
--- arg: url
--- arg: secret
--- arg: types...  of events (none: all)
--- reply: OK
--- reply: ACCOUNT  there is none
--- include: account
if call('EXISTS', KEY.acct) == 0 then
    return {'ACCOUNT'}
end
local types = {}
for i = ARG.types, #ARGV do
    types[#types + 1] = ARGV[i]
end
local now = now_ms()
save(key('s', ac, ARG.hook),
    {1, ARG.hook, ARG.name, ARG.url, types, ARG.secret, 'active', now, '', 0,
        0, ''})
call('ZADD', key('hooks', ac), now, ARG.hook)
return {'OK'}
