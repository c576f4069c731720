-- Changes what an account may choose, for an operator, after what its users
-- want.  Another interval takes effect for each host after its next check.
--- key: acct  acct:<AC>
--- arg: name  or "": as it is; likewise the others
--- arg: timezone  name of the zone
--- arg: interval  between the checks of a host (s)
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- reply: SHORT shortest#  the plan's (s)
--- include: account_save
--- include: wanted
--- use: account
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
local interval, shortest = tonumber(ARG.interval), a[ACCOUNT.min_interval] or 0
if interval and interval < shortest then
    return {'SHORT', shortest}
end
wanted_take(a)
if interval then
    a[ACCOUNT.interval] = interval
    a[ACCOUNT.max_checks] = a[ACCOUNT.max_checks] or 0
    a[ACCOUNT.min_interval] = shortest
end
if ARG.name ~= '' then
    a[ACCOUNT.name] = ARG.name
end
if ARG.timezone ~= '' then
    a[ACCOUNT.timezone] = ARG.timezone
end
account_save(a)
return {'OK'}
