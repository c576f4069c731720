-- An account's totals: how many hosts and listings it has, and a stamp of each
-- of the two indexes that is never the same again once the index has changed.
-- A script that changes an index changes the totals, too, if the account has
-- them (totals_make.lua).  Totals that cannot be read are deleted.
local function totals_stamp()
    local t = call('TIME')
    return t[1] * 1000000 + t[2]
end
-- Gives the totals a new stamp, and adds `change` to the field behind it if
-- there is one.  `now` (ms) spares asking for the time, if the script has it.
local function totals_change(stamp, field, change, now)
    local k = key('totals', ac)
    local raw = redis.pcall('GET', k)
    if not raw then
        return
    end
    local ok, t = pcall(cmsgpack.unpack, raw)
    if not ok or type(t) ~= 'table' or t[1] ~= 1
        or type(t[stamp]) ~= 'number' or field and type(t[field]) ~= 'number'
    then
        call('DEL', k)
        return
    end
    t[stamp] = math.max(t[stamp] + 1, now and now * 1000 or totals_stamp())
    if field then
        t[field] = t[field] + change
    end
    save(k, t)
end
local function totals_add(field, change, now)
    if change ~= 0 then
        totals_change(field - 1, field, change, now)
    end
end
