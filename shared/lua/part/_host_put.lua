-- Writes new hosts: {SID, value, name, type, parent} each.  They share what
-- else users set, `set` (_host_set.lua).  Their values must be in "uniq"
-- already.  Each is checked as soon as it can be, but those of a range or
-- subnet one after the other, in the order in which they are written: `before`
-- of them were written earlier.
--- include: account
--- include: refs
--- include: state
--- include: find
--- include: host_field
--- include: days
local hosts_apart = 4           -- ms
local function hosts_put(new, family, set, now, before)
    local records, order, due, kids, raws = {}, {}, {}, {}, {}
    local states, found = {}, {}
    local last = call('INCRBY', key('seq', ac), #new)
    local from = now + hosts_apart * (before or 0)
    local at = tostring(from)
    for i, h in ipairs(new) do
        local next_check = h[4] == 'ip_range' and 0
            or from + hosts_apart * (i - 1)
        local record = {1, h[1], h[2], h[3], h[4], family, h[5], 'active', '',
            {}, now, 0, 0, 0, 0, next_check, {}}
        for at, value in pairs(set) do
            host_field(record, at, value)
        end
        raws[i] = cmsgpack.pack(record)
        records[#records + 1] = key('r', ac, h[1])
        records[#records + 1] = raws[i]
        local place = last - #new + i
        order[#order + 1] = place
        order[#order + 1] = h[1]
        states[#states + 1] = state_score(state_of('active', h[4], 0, 0, 0, 0),
            place)
        states[#states + 1] = h[1]
        find_add(found, h[1], h[2], h[3])
        if next_check > 0 then
            due[#due + 1] = tostring(next_check)
            due[#due + 1] = h[1]
        end
        if h[5] ~= '' then
            kids[#kids + 1] = place
            kids[#kids + 1] = h[1]
        end
    end
    pcall(days_turn, now_ms(), 0, 0)
    call('MSET', unpack(records))
    call('ZADD', key('hosts', ac), unpack(order))
    call('ZADD', key('states', ac), unpack(states))
    call('ZADD', key('find', ac), unpack(found))
    if kids[1] then
        call('ZADD', key('kids', ac, new[1][5]), unpack(kids))
    end
    if due[1] then
        call('ZADD', key('due', ac), unpack(due))
        call('ZADD', key('due'), 'LT', at, ac)
    end
    refs_later(set[HOST.profile], #new)
    groups_count('h', set[HOST.groups], #new)
    return raws
end
