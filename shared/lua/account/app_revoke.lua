-- Ends an application: all its tokens are gone, its record says revoked.
-- KEYS[1] acct:<AC>
-- ARGV    1 application SID
-- Result  OK, number of tokens that ended | APP
--- include: app
local app = app_of(ARGV[1])
if not app then
    return {'APP'}
end
local own = tokens_of(ARGV[1])
for _, e in ipairs(own) do
    token_end(e[1])
end
app[APP.status] = 'revoked'
save(key('s', ac, ARGV[1]), app)
return {'OK', #own}
