-- Shows a page of the payments of an account, the newest first.
--- key: acct  acct:<AC>
--- arg: first  rank
--- arg: last  rank
--- reply: OK total# payments[]  records
--- reply: ACCOUNT  there is none
--- include: exists
local payments = {}
for _, sid in ipairs(call('ZREVRANGE', key('payments', ac), ARG.first,
    ARG.last))
do
    payments[#payments + 1] = call('GET', key('pay', ac, sid)) or nil
end
return {'OK', call('ZCARD', key('payments', ac)), payments}
