-- An account's totals: how many hosts and listings it has, and a stamp of each
-- of the two indexes that is never the same again once the index has changed.
-- A script that changes an index changes the totals, too, if the account has
-- them (totals_make.lua).  Totals that cannot be read are deleted.
--- include: base
--- use: totals
local function totals_stamp()
    local t = call('TIME')
    return t[1] * 1000000 + t[2]
end
-- `now` (ms) spares asking for the time, if the script has it.
local function totals_add(field, change, now)
    local k = key('totals', ac)
    local raw = change ~= 0 and redis.pcall('GET', k)
    if not raw then
        return
    end
    local ok, t = pcall(cmsgpack.unpack, raw)
    if not ok or type(t) ~= 'table' or t[1] ~= 1
        or type(t[field]) ~= 'number' or type(t[field - 1]) ~= 'number'
    then
        call('DEL', k)
        return
    end
    t[field] = t[field] + change
    t[field - 1] = math.max(t[field - 1] + 1, now and now * 1000
        or totals_stamp())
    save(k, t)
end
