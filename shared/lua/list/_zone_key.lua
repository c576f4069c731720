-- Keys in the zones of own lists.  Zones of the catalogue may have a label
-- {key}.  The labels in its place in the zone of an own list are secret: they
-- are kept in a field of their own (LIST.key), and the zone has "****" in their
-- place.
--- include: list_whole
local key_slot, key_hidden = '{key}', '****'
-- The zone without its key, and the key; or the zone.  Labels before a key that
-- the catalogue has first belong to the key.
local function zone_key(zone)
    local labels, fields, found = {}, {}, {}
    for label in string.gmatch(zone, '[^.]+') do
        labels[#labels + 1] = label
    end
    local function add(front, secret, rest)
        fields[#fields + 1] = front .. key_slot .. rest
        found[#found + 1] = {front .. key_hidden .. rest, secret}
    end
    for i = 1, #labels - 1 do
        local rest = '.' .. table.concat(labels, '.', i + 1)
        add('', table.concat(labels, '.', 1, i), rest)
        if i > 1 then
            add(table.concat(labels, '.', 1, i - 1) .. '.', labels[i], rest)
        end
    end
    local types = fields[1] and call('HMGET', key('lists:zones'),
        unpack(fields)) or {}
    for i = 1, #fields do
        if types[i] then
            return found[i][1], found[i][2]
        end
    end
    return zone
end
-- The caller's words, for the audit log, without the key.
local function by_hide(by, zone)
    local caller = cmsgpack.unpack(by)
    local given = caller[#caller]
    for i = 1, #given, 2 do
        if given[i] == 'host' then
            given[i + 1] = zone
        end
    end
    return cmsgpack.pack(caller)
end
local function list_keep_key(l, secret)
    if secret or l[LIST.key] then
        list_whole(l)
        l[LIST.key] = secret or ''
    end
end
