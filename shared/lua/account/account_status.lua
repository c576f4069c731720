-- Suspends an account, or makes it active again; then its bill goes on.
--- key: acct  acct:<AC>
--- arg: status  active, suspended
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- include: account_save
--- include: account_of
a[ACCOUNT.status] = ARG.status
account_save(a)
if ARG.status == 'active' and call('EXISTS', key('bill', ac)) == 1 then
    call('ZADD', key('billdue'), '0', ac)
    call('ZADD', key('paydue'), '0', ac)
end
return {'OK'}
