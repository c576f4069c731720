-- Says from where an application may ask, with whichever of its tokens.
-- KEYS[1] acct:<AC>
-- ARGV    1 application SID  2... networks; none: from everywhere
-- Result  OK | APP (no such application, or revoked)
--- include: app
local app = app_of(ARGV[1])
if not app or app[APP.status] ~= 'active' then
    return {'APP'}
end
app[APP.allow] = {unpack(ARGV, 2)}
app[APP.limits] = app[APP.limits] or {}
app_admits(app)
return {'OK'}
