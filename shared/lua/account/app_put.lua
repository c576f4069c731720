-- Makes an application with its first token.
-- KEYS[1] acct:<AC>
-- ARGV    1 application SID  2 name  3 secret for callbacks
--         4 token field (16 hex)  5 token digest (32 bytes)
-- Result  OK | ACCOUNT
--- include: app
if call('EXISTS', KEYS[1]) == 0 then
    return {'ACCOUNT'}
end
local now = now_ms()
local app = {1, ARGV[1], ARGV[2], 'active', ARGV[3], now, {}, {}}
save(key('s', ac, ARGV[1]), app)
call('ZADD', key('apps', ac), now, ARGV[1])
token_new(ARGV[4], ARGV[5], app)
return {'OK'}
