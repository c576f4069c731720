-- Sets the rate limits of an application, for all of its tokens together.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: hour  requests an hour; here and below 0: no limit, "": as it is
--- arg: reads  a second
--- arg: writes  a second
--- arg: starts  check starts a second
--- audit: app
--- reply: OK hour# reads# writes# starts#  as they are now
--- reply: APP  no such application
--- reply: REVOKED  it is
--- include: app_of
if app[APP.status] ~= 'active' then
    return {'REVOKED'}
end
local old = app[APP.limits]
local limits = {}
local any = false
for i, v in ipairs({ARG.hour, ARG.reads, ARG.writes, ARG.starts}) do
    limits[i] = tonumber(v) or old[i] or 0
    any = any or limits[i] > 0
end
app[APP.limits] = any and limits or {}
app_admits(app)
return {'OK', unpack(limits)}
