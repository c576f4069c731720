-- Adds a monitoring profile.  Without entries it follows the active system
-- lists; with an empty list of them it has none.
-- KEYS[1] acct:<AC>
-- ARGV    1 profile SID  2 name  3 "1": it becomes the default
--         4 "1": entries are given  5... entries
-- Result  OK, packed record, SIDs of the system lists that it follows
--         | ENTRIES (one is unknown) | LIMIT, max profiles | ACCOUNT
--- include: account_save
--- include: large
--- include: profiles
--- use: account
local max_profiles = 1000
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local given = ARGV[4] == '1'
local entries = profile_entries(given and 5 or #ARGV + 1, {})
if not entries then
    return {'ENTRIES'}
end
local profiles = key('profiles', ac)
if call('ZCARD', profiles) >= max_profiles then
    return {'LIMIT', max_profiles}
end
local k = key('r', ac, ARGV[1])
save(k, {1, ARGV[1], ARGV[2], 'active', given and 0 or 1, entries, now_ms()})
large('profiles', 36 * #entries)
call('ZADD', profiles, call('INCR', key('seq', ac)), ARGV[1])
if ARGV[3] == '1' then
    a[ACCOUNT.profile] = ARGV[1]
    account_save(a)
end
return {'OK', call('GET', k),
    given and {} or call('ZRANGE', key('lists:active'), 0, -1)}
