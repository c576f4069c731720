-- Writes new hosts of one profile and one group: {SID, value, name, type,
-- parent} each.  Their values must be in "uniq" already.
--- include: account
--- include: refs
--- use: host
local function hosts_put(new, family, rp, cg, now)
    local records, order, due, kids, raws = {}, {}, {}, {}, {}
    local last = call('INCRBY', key('seq', ac), #new)
    local at = tostring(now)
    for i, h in ipairs(new) do
        local next_check = h[4] == 'ip_range' and 0 or now
        local raw = cmsgpack.pack({1, h[1], h[2], h[3], h[4], family, h[5],
            'active', rp, {cg}, now, 0, 0, 0, 0, next_check, {}})
        raws[i] = raw
        records[#records + 1] = key('r', ac, h[1])
        records[#records + 1] = raw
        order[#order + 1] = last - #new + i
        order[#order + 1] = h[1]
        if next_check > 0 then
            due[#due + 1] = at
            due[#due + 1] = h[1]
        end
        if h[5] ~= '' then
            kids[#kids + 1] = last - #new + i
            kids[#kids + 1] = h[1]
        end
    end
    call('MSET', unpack(records))
    call('ZADD', key('hosts', ac), unpack(order))
    if kids[1] then
        call('ZADD', key('kids', ac, new[1][5]), unpack(kids))
    end
    if due[1] then
        call('ZADD', key('due', ac), unpack(due))
        call('ZADD', key('due'), 'LT', at, ac)
    end
    refs_later(rp, #new)
    refs_later(cg .. ':h', #new)
    return raws
end
