-- How many hosts and contacts use a profile or group.
local function refs_add(field, n)
    if call('HINCRBY', key('refs', ac), field, n) <= 0 then
        call('HDEL', key('refs', ac), field)
    end
end
