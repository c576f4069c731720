-- Shows the last attempts of deliveries to a receiver, newest last.
--- key: acct  acct:<AC>
--- arg: of  SID of a webhook receiver, an application or a contact
--- arg: last  how many
--- reply: OK attempts[]  packed
--- reply: HOOK  no such receiver
--- reply: APP  no such application
--- reply: CONTACT  no such contact
--- include: receiver
local missing = receiver_missing(ARG.of)
if missing then
    return {missing}
end
return {'OK', call('LRANGE', key('log', ac, ARG.of), -ARG.last, -1)}
