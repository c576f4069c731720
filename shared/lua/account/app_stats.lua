-- Shows the statistics of an application.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: parts...  what follows the account in the names of the keys
--- reply: OK account parts[]  each a hash
--- reply: APP  no such application
--- include: account
if not owns('apps', ARG.app) then
    return {'APP'}
end
local parts = {}
for i = ARG.parts, #ARGV do
    parts[#parts + 1] = call('HGETALL', key('stats', ac, ARGV[i]))
end
return {'OK', ac, parts}
