-- Changes a monitoring profile.  Given entries, none too, end its following of
-- the system lists.  The default is one only: another must be made it.
--- key: acct  acct:<AC>
--- arg: profile  SID
--- arg: named  "1" if name is given
--- arg: name
--- arg: is_default  "", "0", "1"
--- arg: given  "1": entries are given
--- arg: entries...
--- audit: profile
--- reply: OK
--- reply: PROFILE
--- reply: ENTRIES  one is unknown
--- reply: DEFAULT  it would leave none
--- reply: ACCOUNT
--- include: chosen
--- include: large
--- include: profiles
local k = key('r', ac, ARG.profile)
local p = owns('profiles', ARG.profile) and load(k)
if not p then
    return {'PROFILE'}
end
named = p[PROFILE.name]
if ARG.given == '1' then
    p[PROFILE.entries] = profile_entries(ARG.entries, p[PROFILE.entries])
    p[PROFILE.uses_defaults] = 0
    if not p[PROFILE.entries] then
        return {'ENTRIES'}
    end
    large('profiles', 36 * #p[PROFILE.entries])
end
if ARG.is_default == '0' and chosen[CHOSEN.profile] == ARG.profile then
    return {'DEFAULT'}
end
if ARG.named ~= '1' and ARG.given ~= '1' and ARG.is_default ~= '1' then
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
