-- How many hosts of an account each list lists.
--- include: account
-- The system lists that are active and the account's own: SIDs, in the order of
-- the API; of each how many hosts it lists; and how many are system lists.
local function list_hosts()
    local sids, fields, n_system = call('ZRANGE', key('lists:active'), 0, -1),
        {}, nil
    n_system = #sids
    for i, sid in ipairs(call('ZRANGE', key('rbls', ac), 0, -1)) do
        sids[n_system + i] = sid
    end
    for i, sid in ipairs(sids) do
        fields[i] = sid .. ':h'
    end
    local hosts = fields[1] and call('HMGET', key('refs', ac), unpack(fields))
        or {}
    for i = 1, #sids do
        hosts[i] = tonumber(hosts[i] or nil) or 0
    end
    return sids, hosts, n_system
end
-- Listings that began on a day: list -> how many.
local function list_begun(date)
    local begun, n = {}, call('HGETALL', key('newly', ac, date))
    for at = 1, #n, 2 do
        begun[n[at]] = tonumber(n[at + 1])
    end
    return begun
end
-- Those of that day and the six days before.
local function list_new(date)
    local new = list_begun(date)
    for i = 1, 6 do
        for sid, n in pairs(list_begun(date - i)) do
            new[sid] = (new[sid] or 0) + n
        end
    end
    return new
end
