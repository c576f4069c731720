-- The operator's overrides of system lists: the hash `lists:override`.  A field
-- "<SID>" is a status (active, disabled, killed), "<SID>:<field>" a packed
-- {value, value of the catalogue} of a field of the record, and "<SID>:killed"
-- a packed {reason, status of the catalogue, overridden status before or "",
-- score}.
--- include: list_whole
local override = key('lists:override')
local overridden = {
    names = LIST.names, min_interval = LIST.min_interval, rate = LIST.rate,
    day_quota = LIST.day_quota, weight = LIST.weight, control = LIST.control,
    codes = LIST.codes, servers = LIST.servers,
}
-- All fields of a list are read at once.
local overrides = {}
local function override_of(field)
    local sid = string.match(field, '^[^:]*')
    if not overrides[sid] then
        local fields, said = {sid, sid .. ':killed'}, {}
        for name in pairs(overridden) do
            fields[#fields + 1] = sid .. ':' .. name
        end
        for i, value in ipairs(call('HMGET', override, unpack(fields))) do
            said[fields[i]] = value or nil
        end
        overrides[sid] = said
    end
    return overrides[sid][field]
end
local function list_packed(field)
    local raw = override_of(field)
    return raw and cmsgpack.unpack(raw)
end
-- Applies the overrides to a record from a file, and keeps the values of the
-- file for the time after the overrides.
local function list_overrule(sid, l)
    for name, at in pairs(overridden) do
        local o = list_packed(sid .. ':' .. name)
        if o then
            call('HSET', override, sid .. ':' .. name,
                cmsgpack.pack({o[1], l[at]}))
            l[at] = o[1]
        end
    end
    local k = list_packed(sid .. ':killed')
    if k then
        k[2] = l[LIST.status]
        call('HSET', override, sid .. ':killed', cmsgpack.pack(k))
        l[LIST.reason] = k[1]
    end
    l[LIST.status] = override_of(sid) or l[LIST.status]
end
-- Gives the fields the values of the catalogue again.
local function list_restore(sid, l)
    for name, at in pairs(overridden) do
        local o = list_packed(sid .. ':' .. name)
        if o then
            l[at] = o[2]
            call('HDEL', override, sid .. ':' .. name)
        end
    end
end
-- No daemon queries a killed list, and a custom list may have its zone again.
local function list_leave(sid, zone)
    call('ZREM', key('lists'), sid)
    call('ZREM', key('lists:active'), sid)
    call('HDEL', key('lists:zones'), zone)
end
local function list_enter(sid, score)
    if call('ZSCORE', key('lists'), sid) then
        return
    end
    if not score then
        local last = call('ZREVRANGE', key('lists'), 0, 0, 'WITHSCORES')
        score = (tonumber(last[2]) or 0) + 1
    end
    call('ZADD', key('lists'), score, sid)
end
