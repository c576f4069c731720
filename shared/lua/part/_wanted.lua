-- What an account's users want of its record (account_update.lua).  With the
-- rights of nginx anything may be written there: what account_update would not
-- write is nothing.
--- include: account
local wanted_name, wanted_zone, wanted_interval = 1020, 64, 2592000
local function wanted_read()
    local ok, w = pcall(cmsgpack.unpack, redis.pcall('GET', key('wanted', ac)))
    if not ok or type(w) ~= 'table' or w[1] ~= 1 then
        return nil
    end
    local name, zone, n = w[WANTED.name], w[WANTED.timezone],
        w[WANTED.interval]
    return type(name) == 'string' and #name <= wanted_name
        and type(zone) == 'string' and #zone <= wanted_zone
        and type(n) == 'number' and n >= 0 and n <= wanted_interval
        and n == math.floor(n) and w or nil
end
-- Carries it out, as far as the plan still allows it; the caller saves the
-- record.
local function wanted_apply(a, w)
    call('DEL', key('wanted', ac))
    if w[WANTED.name] ~= '' then
        a[ACCOUNT.name] = w[WANTED.name]
    end
    if w[WANTED.timezone] ~= '' then
        a[ACCOUNT.timezone] = w[WANTED.timezone]
    end
    if w[WANTED.interval] > 0 then
        a[ACCOUNT.interval] = math.max(w[WANTED.interval],
            a[ACCOUNT.min_interval])
    end
end
-- The same for what is wanted now.  True: there was something.
local function wanted_take(a)
    local w = wanted_read()
    if not w then
        call('DEL', key('wanted', ac))
        return false
    end
    wanted_apply(a, w)
    return true
end
