-- Deletes a monitoring profile that no host uses.  Was it the default, another
-- one, by chance, takes its place.
--- key: acct  acct:<AC>
--- arg: profile  SID
--- audit: profile
--- reply: OK
--- reply: PROFILE
--- reply: USED hosts#  how many have it
--- reply: LAST
--- reply: ACCOUNT
--- include: chosen
--- include: work
--- include: named
--- use: chosen profile
local profiles = key('profiles', ac)
if not owns('profiles', ARG.profile) then
    return {'PROFILE'}
end
local used = tonumber(call('HGET', key('refs', ac), ARG.profile) or 0)
    + work_names(ARG.profile)
if used > 0 then
    return {'USED', used}
end
if call('ZCARD', profiles) == 1 then
    return {'LAST'}
end
local k = key('r', ac, ARG.profile)
named = named_in(k, PROFILE.name)
call('ZREM', profiles, ARG.profile)
call('DEL', k)
if chosen[CHOSEN.profile] == ARG.profile then
    chosen[CHOSEN.profile] = call('ZRANDMEMBER', profiles)
    chosen_save()
end
return {'OK'}
