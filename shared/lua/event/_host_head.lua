-- The first fields of a host's record, which may be large.  raw: all of it, if
-- it is small.  nil: it is gone.
local function host_head(id)
    local k = key('r', ac, id)
    local raw = call('GETRANGE', k, 0, 1023)
    if raw == '' then
        return nil
    end
    local sound, _, _, _, value, name, type, _, parent, _, _, groups, _, _, _,
        listed = pcall(cmsgpack.unpack_limit, raw, HOST.listed_count, 3)
    if not sound then
        local _
        _, _, _, value, name, type, _, parent, _, _, groups, _, _, _, listed =
            cmsgpack.unpack_limit(call('GET', k), HOST.listed_count, 3)
    end
    return {value = value, name = name, type = type, parent = parent,
        groups = groups, listed = listed > 0, raw = #raw < 1024 and raw}
end
