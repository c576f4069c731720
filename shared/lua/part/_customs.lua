-- Custom lists: an account has few of them, so all can be looked at.
--- include: work
local function custom_families(type)
    return type == 'rbl' and 3 or 4
end
-- Has another list of the account, or of the system, this type and zone?
local function custom_taken(type, zone, sid)
    if call('HGET', key('lists:zones'), zone) == type then
        return true
    end
    for _, other in ipairs(call('ZRANGE', key('rbls', ac), 0, -1)) do
        local l = other ~= sid and load(key('r', ac, other))
        if l and l[LIST.zone] == zone and l[LIST.type] == type then
            return true
        end
    end
    return false
end
