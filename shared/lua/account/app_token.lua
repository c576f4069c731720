-- Gives an application a new token; the older ones end, or go on for a while
-- until they are revoked.
-- KEYS[1] acct:<AC>
-- ARGV    1 application SID  2 token field  3 token digest
--         4 "1": older tokens of the application end now
-- Result  OK | APP (no such application, or revoked)
--- include: app
local app = app_of(ARGV[1])
if not app or app[APP.status] ~= 'active' then
    return {'APP'}
end
if ARGV[4] == '1' then
    for _, e in ipairs(tokens_of(ARGV[1])) do
        token_end(e[1])
    end
end
token_new(ARGV[2], ARGV[3], app)
return {'OK'}
