-- Changes a monitoring profile.  Given entries, none too, end its following of
-- the system lists.  The default is one only: another must be made it.
-- KEYS[1] acct:<AC>
-- ARGV    1 profile SID  2 "1" if name is given  3 name
--         4 is_default: "", "0", "1"  5 "1": entries are given  6... entries
-- Result  OK | PROFILE | ENTRIES (one is unknown)
--         | DEFAULT (it would leave none) | ACCOUNT
--- include: account_save
--- include: large
--- include: profiles
--- use: account profile
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local k = key('r', ac, ARGV[1])
local p = owns('profiles', ARGV[1]) and load(k)
if not p then
    return {'PROFILE'}
end
if ARGV[5] == '1' then
    p[PROFILE.entries] = profile_entries(6, p[PROFILE.entries])
    p[PROFILE.uses_defaults] = 0
    if not p[PROFILE.entries] then
        return {'ENTRIES'}
    end
    large('profiles', 36 * #p[PROFILE.entries])
end
if ARGV[4] == '0' and a[ACCOUNT.profile] == ARGV[1] then
    return {'DEFAULT'}
end
if ARGV[2] == '1' then
    p[PROFILE.name] = ARGV[3]
end
save(k, p)
if ARGV[4] == '1' and a[ACCOUNT.profile] ~= ARGV[1] then
    a[ACCOUNT.profile] = ARGV[1]
    account_save(a)
end
return {'OK'}
