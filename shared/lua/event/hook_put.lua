-- Makes a webhook receiver.
-- KEYS[1] acct:<AC>
-- ARGV    1 receiver SID  2 name  3 URL  4 secret  5... event types (none: all)
-- Result  OK | ACCOUNT
--- include: account
if call('EXISTS', KEYS[1]) == 0 then
    return {'ACCOUNT'}
end
local types = {}
for i = 5, #ARGV do
    types[#types + 1] = ARGV[i]
end
local now = now_ms()
save(key('s', ac, ARGV[1]),
    {1, ARGV[1], ARGV[2], ARGV[3], types, ARGV[4], 'active', now, '', 0, 0, ''})
call('ZADD', key('hooks', ac), now, ARGV[1])
return {'OK'}
