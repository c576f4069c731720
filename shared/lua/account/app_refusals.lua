-- Shows a page of the error log of an application.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: first  rank, from 0, the newest
--- arg: last  rank
--- reply: OK total# refusals[]  packed
--- reply: APP  no such application
--- include: account
if not owns('apps', ARG.app) then
    return {'APP'}
end
local log = key('errors', ac, ARG.app)
return {'OK', call('LLEN', log), call('LRANGE', log, ARG.first, ARG.last)}
