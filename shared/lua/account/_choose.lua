-- The first steps of a script that changes what an account may choose, with the
-- arguments `name`, `timezone` and `interval`: the account `a`, and what is
-- wanted of its record now (`w`).
--- include: wanted
--- use: account wanted
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
local interval, shortest = tonumber(ARG.interval), a[ACCOUNT.min_interval] or 0
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
