-- Changes settings of an account.  Changes by its users wait for a daemon
-- (account_settle.lua), because nginx runs this script and may not write the
-- record of the account.  An operator changes the record, together with the
-- changes that wait.  A new interval applies to each host after its next check.
--- key: acct  acct:<AC>
--- arg: name  or "": as it is; likewise the others
--- arg: timezone  name of the zone
--- arg: interval  between the checks of a host (s), or ""
--- arg: now  1: for an operator; or 0
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- reply: SHORT shortest#  the plan's (s)
--- include: settle
--- include: wanted
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
local interval, shortest = tonumber(ARG.interval), a[ACCOUNT.min_interval]
if interval and interval < shortest then
    return {'SHORT', shortest}
end
local w = wanted_read() or {1, '', '', 0}
if ARG.name ~= '' then
    w[WANTED.name] = ARG.name
end
if ARG.timezone ~= '' then
    w[WANTED.timezone] = ARG.timezone
end
w[WANTED.interval] = interval or w[WANTED.interval]
if ARG.now == '1' then
    --- include: account_save
    wanted_apply(a, w)
    account_save(a)
    return {'OK'}
end
local failed = settle_at(now_ms())
if failed then
    return failed
end
save(key('wanted', ac), w)
return {'OK'}
