-- A daemon tells from which addresses it asks; what was told long ago goes.
-- KEYS[1] daemons:addr
-- ARGV    "<address> <host name>"...
-- Result  OK
--- include: base
local now = now_ms()
call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 86400000)
for _, member in ipairs(ARGV) do
    call('ZADD', KEYS[1], now, member)
end
return {'OK'}
