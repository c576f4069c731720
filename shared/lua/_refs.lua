-- How many hosts and contacts use a profile or group.
local function refs_add(field, n)
    if call('HINCRBY', key('refs', ac), field, n) <= 0 then
        call('HDEL', key('refs', ac), field)
    end
end
-- The same for many users of the same few: summed up, and written once.
local refs_due = {}
local function refs_later(field, n)
    refs_due[field] = (refs_due[field] or 0) + n
end
local function refs_write()
    for field, n in pairs(refs_due) do
        if n ~= 0 then
            refs_add(field, n)
        end
    end
end
