-- For scripts that choose a default profile or group of an account.  nginx runs
-- them, and may not write the account's record: these are one of their own.
--- include: account_save
--- use: chosen
local chosen = load(key('chosen', ac))
local function chosen_save()
    totals_renew()
    save(key('chosen', ac), chosen)
end
