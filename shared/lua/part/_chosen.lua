-- Steps of scripts that choose a default profile or group of an account: the
-- record `chosen`.  nginx runs them, and may not write the account's record:
-- these are one of their own.
--- include: account_save
--- use: chosen
--- takes: ac
--- sets: chosen
local chosen = load(key('chosen', ac))
if not chosen then
    return {'ACCOUNT'}
end
local function chosen_save()
    totals_renew()
    save(key('chosen', ac), chosen)
end
