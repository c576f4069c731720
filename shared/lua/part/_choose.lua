-- For scripts that choose a default profile or group.  nginx, which runs them,
-- may not write the account's record.
--- include: account_save
--- include: chosen
--- use: account
local function chosen_save(a)
    totals_renew()
    save(key('chosen', ac), {1, a[ACCOUNT.profile], a[ACCOUNT.group]})
end
