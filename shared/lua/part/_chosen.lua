-- Steps of scripts that choose a default profile or group of an account: the
-- record `chosen`.  nginx runs them, and may not write the account's record:
-- these are one of their own.
--- include: account_save
--- takes: ac
--- sets: chosen
local chosen = load(key('chosen', ac))
if not chosen then
    return {'ACCOUNT'}
end
-- A profile or a group becomes the default.
local function choose(field, sid)
    if chosen[field] ~= sid then
        totals_renew()
        chosen[field] = sid
        save(key('chosen', ac), chosen)
    end
end
