-- Ends an application: all its tokens are gone, its record says revoked.
-- KEYS[1] acct:<AC>
-- ARGV    1 application SID
-- Result  OK, number of tokens that ended | APP
--- include: account
--- use: app token
local app = load(key('r', ac, ARGV[1]))
if not app or not owns('apps', ARGV[1]) then
    return {'APP'}
end
local tokens = key('tokens', ac)
local all = call('HGETALL', tokens)
local n = 0
for i = 1, #all, 2 do
    if cmsgpack.unpack(all[i + 1])[TOKEN.app] == ARGV[1] then
        n = n + call('HDEL', tokens, all[i])
    end
end
app[APP.status] = 'revoked'
save(key('r', ac, ARGV[1]), app)
return {'OK', n}
