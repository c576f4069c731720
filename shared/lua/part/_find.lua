-- The index "find", by which hosts are found by the beginning of their value or
-- name.  Its members are "n", the name with small letters, and the SID in 16
-- octets; and "v", the value, and the SID, unless the name is the value.
local find_id = '>I4I4I4I4'
local function find_bytes(sid)
    return '\0' .. struct.pack(find_id, tonumber(sid:sub(3, 10), 16) or 0,
        tonumber(sid:sub(11, 18), 16) or 0, tonumber(sid:sub(19, 26), 16) or 0,
        tonumber(sid:sub(27), 16) or 0)
end
local function find_members(sid, value, name)
    local id = find_bytes(sid)
    name = string.lower(name)
    if name == value then
        return 'n' .. name .. id
    end
    return 'n' .. name .. id, 'v' .. value .. id
end
local function find_sid(member)
    return string.format('HT%08x%08x%08x%08x',
        struct.unpack(find_id, member, #member - 15))
end
-- Adds the arguments of ZADD for the members.
local function find_add(out, sid, value, name)
    local by_name, by_value = find_members(sid, value, name)
    out[#out + 1] = 0
    out[#out + 1] = by_name
    if by_value then
        out[#out + 1] = 0
        out[#out + 1] = by_value
    end
    return out
end
