-- Notes that an operator acts in an account.  The first time in an hour is
-- logged.
--- key: acct  acct:<AC>
--- arg: user  SID of the operator
--- audit
--- reply: OK  the first time
--- reply: AGAIN
--- reply: ACCOUNT  there is none
--- include: exists
if not call('SET', key('visit', ac, ARG.user), '1', 'NX', 'EX', 3600) then
    return {'AGAIN'}
end
return {'OK'}
