-- Adds a monitoring profile.  Without entries it follows the active system
-- lists, all or but some; with an empty list of entries it has none.
--- key: acct  acct:<AC>
--- arg: profile  SID
--- arg: name
--- arg: is_default  "1": it becomes the default
--- arg: given  "1": entries are the lists that it has; "2": those that it
--          leaves out
--- arg: entries...
--- audit: profile
--- reply: OK record follows[]  packed; SIDs of the active system lists, if it
--          follows them
--- reply: ENTRIES  one is unknown
--- reply: EXCEPT  one is unknown
--- reply: LIMIT max#  profiles
--- reply: ACCOUNT
--- include: chosen
--- include: profiles
local max_profiles = 1000
local p = {1, ARG.profile, ARG.name, 'active', 1, {}, now_ms()}
local profiles = key('profiles', ac)
local wrong = profile_lists(p, ARG.given, ARG.entries)
if wrong then
    return {wrong}
end
if call('ZCARD', profiles) >= max_profiles then
    return {'LIMIT', max_profiles}
end
local k = key('r', ac, ARG.profile)
named = ARG.name
save(k, p)
call('ZADD', profiles, call('INCR', key('seq', ac)), ARG.profile)
if ARG.is_default == '1' then
    choose(CHOSEN.profile, ARG.profile)
end
return {'OK', call('GET', k),
    p[PROFILE.uses_defaults] == 0 and {}
        or call('ZRANGE', key('lists:active'), 0, -1)}
