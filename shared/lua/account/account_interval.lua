-- Chooses the time between the checks of an account's hosts.  It takes effect
-- for each host after its next check.
--- key: acct  acct:<AC>
--- arg: interval  (s)
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- reply: SHORT shortest#  the plan's (s)
--- include: account_save
--- use: account
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
named = a[ACCOUNT.name]
local interval, shortest = tonumber(ARG.interval), a[ACCOUNT.min_interval] or 0
if interval < shortest then
    return {'SHORT', shortest}
end
a[ACCOUNT.interval] = interval
a[ACCOUNT.max_checks] = a[ACCOUNT.max_checks] or 0
a[ACCOUNT.min_interval] = shortest
account_save(a)
return {'OK'}
