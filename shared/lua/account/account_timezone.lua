-- Sets the time zone in which an account is shown its times.
-- KEYS[1] acct:<AC>
-- ARGV    1 name of the zone
-- Result  OK | ACCOUNT (there is none)
--- include: account_save
--- use: account
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
a[ACCOUNT.timezone] = ARGV[1]
account_save(a)
return {'OK'}
