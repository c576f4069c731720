-- Sets the time zone in which an account is shown its times.
--- key: acct  acct:<AC>
--- arg: timezone  name of the zone
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
a[ACCOUNT.timezone] = ARG.timezone
account_save(a)
return {'OK'}
