-- Sets a field of a host's record.  A record may end before the field: those in
-- between get their defaults, because an array with a gap is packed as a map.
-- A default is not added, so that the records of most hosts stay small; an
-- array is always added.
-- Types of fields that records may lack stand behind a bar.
local function host_default(at)
    local type = string.sub(HOST.shape, at + 1, at + 1)
    return type == 'n' and 0 or type == 's' and '' or {}
end
local function host_field(h, at, value)
    if h[at] == nil and value == host_default(at) then
        return
    end
    for i = #h + 1, at - 1 do
        h[i] = host_default(i)
    end
    h[at] = value
end
