-- Carries out what an account's users want of its record (account_want.lua),
-- as far as the plan still allows it; the caller saves the record.  True: there
-- was something.
--- include: account
--- use: account wanted
local function wanted_take(a)
    local w = load(key('wanted', ac))
    if not w then
        return false
    end
    if w[WANTED.name] ~= '' then
        a[ACCOUNT.name] = w[WANTED.name]
    end
    if w[WANTED.timezone] ~= '' then
        a[ACCOUNT.timezone] = w[WANTED.timezone]
    end
    if w[WANTED.interval] > 0 then
        a[ACCOUNT.max_checks] = a[ACCOUNT.max_checks] or 0
        a[ACCOUNT.min_interval] = a[ACCOUNT.min_interval] or 0
        a[ACCOUNT.interval] = math.max(w[WANTED.interval],
            a[ACCOUNT.min_interval])
    end
    call('DEL', key('wanted', ac))
    return true
end
