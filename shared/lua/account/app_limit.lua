-- Says how often an application may ask, with all its tokens together.
-- KEYS[1] acct:<AC>
-- ARGV    1 application SID  2 requests an hour  3 reads  4 writes  5 check
--         starts a second; 0: no limit, "": as it is
-- Result  OK, the four limits | APP (no such application, or revoked)
--- include: app
local app = app_of(ARGV[1])
if not app or app[APP.status] ~= 'active' then
    return {'APP'}
end
local old = app[APP.limits] or {}
local limits = {}
local any = false
for i = 1, 4 do
    limits[i] = tonumber(ARGV[i + 1]) or old[i] or 0
    any = any or limits[i] > 0
end
app[APP.allow] = app[APP.allow] or {}
app[APP.limits] = any and limits or {}
app_admits(app)
return {'OK', unpack(limits)}
