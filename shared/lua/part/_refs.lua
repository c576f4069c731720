-- How many hosts and contacts use a profile or group; hosts on a list, and
-- listed hosts of a group (_listings.lua).
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
-- By how much the listed hosts of groups change today: {group, number...}.
local function refs_moved(moved)
    local k, groups = key('moved', ac, math.floor(now_ms() / 86400000)), {}
    for i = 1, #moved, 2 do
        groups[#groups + 1] = moved[i]
    end
    local has = redis.pcall('HMGET', k, unpack(groups))
    for i = 1, #groups do
        moved[2 * i] = moved[2 * i] + (tonumber(has[i] or nil) or 0)
    end
    redis.pcall('HSET', k, unpack(moved))
    redis.pcall('PEXPIRE', k, 2 * 86400000)
end
local function refs_write()
    local k, fields, put, gone, moved = key('refs', ac), {}, {}, {}, {}
    for field, n in pairs(refs_due) do
        if n ~= 0 then
            fields[#fields + 1] = field
            if string.find(field, ':l', -2, true) then
                moved[#moved + 1] = field:sub(1, -3)
                moved[#moved + 1] = n
            end
        end
    end
    if moved[1] then
        refs_moved(moved)
    end
    for i, has in ipairs(fields[1] and call('HMGET', k, unpack(fields)) or {})
    do
        local n = (tonumber(has) or 0) + refs_due[fields[i]]
        if n > 0 then
            put[#put + 1] = fields[i]
            put[#put + 1] = n
        elseif has then
            gone[#gone + 1] = fields[i]
        end
    end
    if put[1] then
        call('HSET', k, unpack(put))
    end
    if gone[1] then
        call('HDEL', k, unpack(gone))
    end
end
-- Counts who uses these groups: `by` is "h", a host, or "c", a contact.  The
-- places of all contacts are counted together, too.
local function groups_count(by, groups, n)
    for _, g in ipairs(groups) do
        refs_later(g .. ':' .. by, n)
    end
    if by == 'c' then
        refs_later('c', n * #groups)
    end
end
local max_places = 10000                -- of all contacts, each in its groups
-- May contacts have so many more places in groups?
local function groups_room(more)
    return more <= 0
        or (tonumber(call('HGET', key('refs', ac), 'c')) or 0) + more
            <= max_places
end
