-- Sets the networks from which an application may send requests, with all of
-- its tokens.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: networks...  none: from everywhere
--- audit: app
--- reply: OK
--- reply: APP  no such application
--- reply: REVOKED  it is
--- include: app_of
if app[APP.status] ~= 'active' then
    return {'REVOKED'}
end
app[APP.allow] = {unpack(ARGV, ARG.networks)}
app_admits(app)
return {'OK'}
