-- Suspends an account or makes it active again.
-- KEYS[1] acct:<AC>
-- ARGV    1 status: active, suspended
-- Result  OK | ACCOUNT (there is none)
--- include: account_save
--- use: account
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
a[ACCOUNT.status] = ARGV[1]
account_save(a)
return {'OK'}
