-- Gives an application a new token; the older ones end, or go on for a while
-- until they are revoked.
-- KEYS[1] acct:<AC>
-- ARGV    1 application SID  2 token field  3 token digest
--         4 "1": older tokens of the application end now
-- Result  OK | APP (no such application, or revoked)
--- include: account
--- use: app token
local app = load(key('r', ac, ARGV[1]))
if not app or not owns('apps', ARGV[1]) or app[APP.status] ~= 'active' then
    return {'APP'}
end
local tokens = key('tokens', ac)
if ARGV[4] == '1' then
    local all = call('HGETALL', tokens)
    for i = 1, #all, 2 do
        if cmsgpack.unpack(all[i + 1])[TOKEN.app] == ARGV[1] then
            call('HDEL', tokens, all[i])
        end
    end
end
call('HSET', tokens, ARGV[2],
    cmsgpack.pack({1, ARGV[3], ARGV[1], 'active'}))
return {'OK'}
