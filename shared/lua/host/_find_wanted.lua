-- Steps of host_find that decide whether a search finds a host.  No name has
-- the bytes of a packed SID, which are not UTF-8.  A host whose value has the
-- text was found by its value, and is not found again by its name.
--- takes: part parts prefix stopped text
--- sets: group is_range list picks profile weight weight_normal
local picks = ARG.group ~= '' or ARG.profile ~= '' or stopped
    or ARG.list ~= '' or ARG.weight ~= '' or ARG.parent == 'none'
local group = ARG.group ~= '' and cmsgpack.pack(ARG.group) or ''
local profile = ARG.profile ~= '' and cmsgpack.pack(ARG.profile) or ''
local function reads()
    return text ~= '' and not (prefix and prefix:sub(1, 1) == 'v')
end
local function begins(s)
    return s:sub(1, #text) == text
end
local function has(s)
    return string.find(s, text, 1, true)
end
-- The listings.  Their weight may be unknown until the next check.
local weight_normal = 2
local list, weight = cmsgpack.pack(ARG.list), tonumber(ARG.weight)
local function is_listed_so(raw)
    if ARG.list ~= '' and not string.find(raw, list, 1, true) then
        return false
    end
    local details = select(HOST.details + 2,
        pcall(cmsgpack.unpack_limit, raw, HOST.details, 3))
    local on, heaviest = ARG.list == '', 0
    for _, l in ipairs(type(details) == 'table' and details or {}) do
        local of = l[LISTING.weight] or 0
        of = of > 0 and of or l[LISTING.counted] or 0
        on = on or l[LISTING.list] == ARG.list
        heaviest = math.max(heaviest, of > 0 and of or weight_normal)
    end
    return on and (not weight or heaviest == weight)
end
local function active(raw)
    local _, _, _, _, _, htype, _, _, status = cmsgpack.unpack_limit(raw,
        HOST.status, 3)
    return status == 'active' and htype ~= 'ip_range'
end
local is_range
local function has_parent(raw)
    local ok, _, _, _, _, _, htype, _, parent = pcall(cmsgpack.unpack_limit,
        raw, HOST.parent, 3)
    is_range = ok and htype == 'ip_range'
    return not ok or parent ~= ''
end
local function wanted(raw)
    if ARG.parent == 'none' and has_parent(raw) then
        return false
    end
    if picks and not (string.find(raw, group, 1, true)
        and string.find(raw, profile, 1, true))
        or stopped and not active(raw)
        or (ARG.list ~= '' or weight) and not is_listed_so(raw)
    then
        return false
    elseif not reads() then
        return true
    end
    local ok, _, _, _, value, name = pcall(cmsgpack.unpack_limit, raw,
        HOST.name, 3)
    if not ok then
        return false
    end
    name = string.lower(name)
    if parts then
        return not begins(value) and not begins(name)
            and (has(value) or has(name)) ~= nil
    elseif not prefix then
        return begins(value) or begins(name)
            or part and (has(value) or has(name)) ~= nil
    end
    return name == value or not begins(value)
end
