-- The index "find", by which hosts are found by the beginning of their value or
-- name, and sorted by address.  Its members are "n", the name with small
-- letters, and the SID in 16 octets; "v", the value, and the SID, unless the
-- name is the value; and "a", the address, and the SID.
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
-- IPv4 comes before IPv6 and domains; a subnet before its first address.
local function find_octets(words)
    local octets = {}
    for word in string.gmatch(words, '[^:]+') do
        local a, b, c, d = word:match('^(%d+)%.(%d+)%.(%d+)%.(%d+)$')
        local n = tonumber(word, 16) or 0
        for _, octet in ipairs(a and {a, b, c, d}
            or {math.floor(n / 256), n})
        do
            octets[#octets + 1] = string.char(octet % 256)
        end
    end
    return table.concat(octets)
end
local function find_address(sid, value)
    local address, length = value:match('^([%x:.]+)/?(%d*)$')
    local head, tail = string.match(address or '', '^(.-)::(.*)$')
    local text = 'd' .. value
    if head then
        head, tail = find_octets(head), find_octets(tail)
        text = '6' .. head .. string.rep('\0', 16 - #head - #tail) .. tail
    elseif address and address:find(':', 1, true) then
        text = '6' .. find_octets(address)
    elseif address and address:match('^%d+%.%d+%.%d+%.%d+$') then
        text = '4' .. find_octets(address)
    end
    return 'a' .. text .. string.char((tonumber(length) or 255) % 256)
        .. find_bytes(sid)
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
    out[#out + 1] = 0
    out[#out + 1] = find_address(sid, value)
    return out
end
