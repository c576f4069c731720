-- Shows a page of the payments of an account.
--- key: acct  acct:<AC>
--- arg: first  rank
--- arg: last  rank
--- arg: oldest  1: the oldest comes first; else the newest
--- reply: OK total# payments[]  records
--- reply: ACCOUNT  there is none
--- include: exists
local payments = {}
for _, sid in ipairs(call(ARG.oldest == '1' and 'ZRANGE'
    or 'ZREVRANGE', key('payments', ac), ARG.first, ARG.last))
do
    payments[#payments + 1] = call('GET', key('pay', ac, sid)) or nil
end
return {'OK', call('ZCARD', key('payments', ac)), payments}
