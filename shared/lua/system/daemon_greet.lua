-- Stores the addresses from which a daemon sends queries, and deletes old ones.
--- key: addresses  daemons:addr
--- arg: members...  "<address> <host name>"
--- reply: OK
local now = now_ms()
call('ZREMRANGEBYSCORE', KEY.addresses, '-inf', now - 86400000)
for i = ARG.members, #ARGV do
    call('ZADD', KEY.addresses, now, ARGV[i])
end
return {'OK'}
