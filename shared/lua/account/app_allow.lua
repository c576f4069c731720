-- Says from where an application may ask, with whichever of its tokens.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: networks...  none: from everywhere
--- audit: app
--- reply: OK
--- reply: APP  no such application
--- reply: REVOKED  it is
--- include: app
local app, none = app_active(ARG.app)
if not app then
    return none
end
named = app[APP.name]
app[APP.allow] = {unpack(ARGV, ARG.networks)}
app[APP.limits] = app[APP.limits] or {}
app_admits(app)
return {'OK'}
