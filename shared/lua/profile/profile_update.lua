-- Changes a monitoring profile.  Given entries, none too, end its following of
-- the system lists; given lists that it leaves out, none too, begin it.  The
-- default is one only: another must be made it.
--- key: acct  acct:<AC>
--- arg: profile  SID
--- arg: named  "1" if name is given
--- arg: name
--- arg: is_default  "", "0", "1"
--- arg: given  "1": entries are the lists that it has; "2": those that it
--          leaves out
--- arg: entries...
--- audit: profile
--- reply: OK
--- reply: PROFILE
--- reply: ENTRIES  one is unknown
--- reply: EXCEPT  one is unknown
--- reply: DEFAULT  it would leave none
--- reply: ACCOUNT
--- include: chosen
--- include: profiles
local k = key('r', ac, ARG.profile)
local p = owns('profiles', ARG.profile) and load(k)
if not p then
    return {'PROFILE'}
end
named = p[PROFILE.name]
local given = ARG.given ~= '' and ARG.given ~= '0'
local wrong = profile_lists(p, ARG.given, ARG.entries)
if wrong then
    return {wrong}
end
if ARG.is_default == '0' and chosen[CHOSEN.profile] == ARG.profile then
    return {'DEFAULT'}
end
if ARG.named ~= '1' and not given and ARG.is_default ~= '1' then
    by = nil
end
if ARG.named == '1' then
    p[PROFILE.name] = ARG.name
end
save(k, p)
if ARG.is_default == '1' then
    choose(CHOSEN.profile, ARG.profile)
end
return {'OK'}
