-- The owner of the value of a host.
--- include: fsck
local function value_of(h)
    return h[HOST.type] .. '|' .. h[HOST.value]
end
-- Returns another host to which the value of `h` leads, or nil; and whether
-- that host exists and has the value.
local function other_host(h)
    local field = value_of(h)
    local other = call('HGET', key('uniq', ac), field)
    if not other or other == h[HOST.id] then
        return nil
    end
    local same = owns('hosts', other) and read_sid(other)
    return other, same and value_of(same) == field
end
