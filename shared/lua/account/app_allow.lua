-- Says from where an application may ask, with whichever of its tokens.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: networks...  none: from everywhere
--- reply: OK
--- reply: APP  no such application, or revoked
--- include: app
local app = app_of(ARG.app)
if not app or app[APP.status] ~= 'active' then
    return {'APP'}
end
app[APP.allow] = {unpack(ARGV, ARG.networks)}
app[APP.limits] = app[APP.limits] or {}
app_admits(app)
return {'OK'}
