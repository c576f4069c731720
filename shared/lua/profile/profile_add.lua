-- Adds a monitoring profile.  Without entries it follows the active system
-- lists; with an empty list of them it has none.
--- key: acct  acct:<AC>
--- arg: profile  SID
--- arg: name
--- arg: is_default  "1": it becomes the default
--- arg: given  "1": entries are given
--- arg: entries...
--- audit: profile
--- reply: OK record follows[]  packed; SIDs of the system lists that it follows
--- reply: ENTRIES  one is unknown
--- reply: LIMIT max#  profiles
--- reply: ACCOUNT
--- include: chosen
--- include: large
--- include: profiles
local max_profiles = 1000
local given = ARG.given == '1'
local entries = profile_entries(given and ARG.entries or #ARGV + 1, {})
if not entries then
    return {'ENTRIES'}
end
local profiles = key('profiles', ac)
if call('ZCARD', profiles) >= max_profiles then
    return {'LIMIT', max_profiles}
end
local k = key('r', ac, ARG.profile)
named = ARG.name
save(k, {1, ARG.profile, ARG.name, 'active', given and 0 or 1, entries,
    now_ms()})
large('profiles', 36 * #entries)
call('ZADD', profiles, call('INCR', key('seq', ac)), ARG.profile)
if ARG.is_default == '1' then
    choose(CHOSEN.profile, ARG.profile)
end
return {'OK', call('GET', k),
    given and {} or call('ZRANGE', key('lists:active'), 0, -1)}
