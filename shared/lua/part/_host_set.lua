-- What users set of a host is a table of values by the numbers of their fields,
-- {[HOST.name] = "mail"}.  Fields that it lacks stay as they are.
--- include: listings
--- include: find
--- include: host_field
-- The index of names, when a host gets another one.
local function find_change(sid, value, was, name)
    was, name = string.lower(was), string.lower(name)
    if was == name then
        return
    end
    local find, id = key('find', ac), find_bytes(sid)
    call('ZREM', find, 'n' .. was .. id)
    call('ZADD', find, '0', 'n' .. name .. id)
    if was == value then
        call('ZADD', find, '0', 'v' .. value .. id)
    elseif name == value then
        call('ZREM', find, 'v' .. value .. id)
    end
end
local function host_set(h, set)
    for at, value in pairs(set) do
        local was = h[at]
        if at == HOST.name then
            find_change(h[HOST.id], h[HOST.value], was, value)
        elseif at == HOST.profile then
            refs_later(was, -1)
            refs_later(value, 1)
        elseif at == HOST.groups then
            groups_count('h', was, -1)
            groups_count('h', value, 1)
            if h[HOST.status] == 'active'
                and listings_counted(h[HOST.details])
            then
                listed_in_groups(was, -1)
                listed_in_groups(value, 1)
            end
        end
        host_field(h, at, value)
    end
end
