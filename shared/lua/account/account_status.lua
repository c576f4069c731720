-- Suspends an account or makes it active again.
--- key: acct  acct:<AC>
--- arg: status  active, suspended
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- include: account_save
--- use: account
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
named = a[ACCOUNT.name]
a[ACCOUNT.status] = ARG.status
account_save(a)
return {'OK'}
