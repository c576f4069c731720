-- Deletes a monitoring profile that no host uses.  Was it the default, another
-- one, by chance, takes its place.
-- KEYS[1] acct:<AC>
-- ARGV    1 profile SID
-- Result  OK | PROFILE | USED, by how many hosts | LAST | ACCOUNT
--- include: account_save
--- include: work
--- use: account
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local profiles = key('profiles', ac)
if not owns('profiles', ARGV[1]) then
    return {'PROFILE'}
end
local used = tonumber(call('HGET', key('refs', ac), ARGV[1]) or 0)
    + work_names(ARGV[1])
if used > 0 then
    return {'USED', used}
end
if call('ZCARD', profiles) == 1 then
    return {'LAST'}
end
call('ZREM', profiles, ARGV[1])
call('DEL', key('r', ac, ARGV[1]))
if a[ACCOUNT.profile] == ARGV[1] then
    a[ACCOUNT.profile] = call('ZRANDMEMBER', profiles)
    account_save(a)
end
return {'OK'}
