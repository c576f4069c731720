-- Chooses the time between the checks of an account's hosts.  It takes effect
-- for each host after its next check.
-- KEYS[1] acct:<AC>
-- ARGV    1 interval (s)
-- Result  OK | ACCOUNT (there is none) | SHORT, the plan's shortest (s)
--- include: account_save
--- use: account
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local interval, shortest = tonumber(ARGV[1]), a[ACCOUNT.min_interval] or 0
if interval < shortest then
    return {'SHORT', shortest}
end
a[ACCOUNT.interval] = interval
a[ACCOUNT.max_checks] = a[ACCOUNT.max_checks] or 0
a[ACCOUNT.min_interval] = shortest
account_save(a)
return {'OK'}
