-- Puts marks and looks into the digests of contacts (_digest.lua).  If few
-- contacts are notified of a host, _notify_check.lua and _look.lua do that at
-- once.  Else they put it into the hash "telling:<AC>", and a daemon does it in
-- slices (telling_step.lua).  The field "<HT>" is the operation that waits for
-- that host, "*" that for ranges; ">" is the field of the operation in
-- progress, a colon and the operation.  An operation is an array:
--   1 sets of groups that the host had, in their order
--   2 flags: which of these sets the marks are for
--   3 the marks, by the class of the contacts that get them (0: none)
--   4 looks: members of the digest, for contacts in some of the sets, not all
--   5 1: the sets are too many, and all contacts are looked at
--   6 the score of the last contact that was done
--- include: hears
local notify_at_once = 100              -- places of contacts in groups
local notify_groups = 150               -- groups of an operation, at most
-- Does an operation wait for the host?  Later changes then wait, too.
local function notify_waits(ht)
    local v = redis.pcall('HMGET', key('telling', ac), ht, '>')
    return v[1] or v[2] and v[2]:sub(1, #ht + 1) == ht .. ':'
end
-- The contacts in groups, with their classes, and how many places they have
-- there; nil: more than `room`, by the counters of the groups.
local function notify_few(groups, room)
    local counters, args, n = {}, {#groups}, 0
    for i, g in ipairs(groups) do
        counters[i] = g .. ':c'
        args[i + 1] = key('hears', ac, g)
    end
    local used = redis.pcall('HMGET', key('refs', ac), unpack(counters))
    for _, has in ipairs(used) do
        n = n + (tonumber(has) or 0)
    end
    if n > room then
        return nil
    end
    for _, word in ipairs({'AGGREGATE', 'MIN', 'WITHSCORES'}) do
        args[#args + 1] = word
    end
    return redis.pcall('ZUNION', unpack(args)), n
end
-- The contacts of these classes in groups, each once, and how much room is left
-- beside their places; nil: they have more places than `room`.  Few are found
-- at once; a group whose set is of another type has none.
local function notify_some(groups, first, last, room)
    local all = {}
    local few, places = nil, 0
    if #groups > 1 then
        few, places = notify_few(groups, room)
    end
    if few and not few.err then
        for i = 1, #few, 2 do
            local class = tonumber(few[i + 1])
            all[#all + 1] = class >= first and class <= last and few[i] or nil
        end
        return all, room - places
    end
    for _, g in ipairs(groups) do
        local found = redis.pcall('ZRANGE', key('hears', ac, g), first, last,
            'BYSCORE', 'LIMIT', 0, room + 1)
        for _, co in ipairs(found) do
            if not all[co] then
                all[co] = true
                all[#all + 1] = co
            end
        end
        room = room - #found
        if room < 0 then
            return nil
        end
    end
    return all, room
end
-- `turns` collects contacts that have a digest from now on.
local function notify_mark(turns, co, ht, mark, now)
    local k, new = key('digest', ac, co), nil
    if mark >= digest_clear then
        new = redis.pcall('ZADD', k, 'LT', tostring(mark), ht)
    else
        new = redis.pcall('ZADD', k, tostring(mark), ht)
    end
    if new == 1 then
        turns[#turns + 1] = tostring(now)
        turns[#turns + 1] = ac .. ':' .. co
    end
end
local function notify_look(turns, co, members, now)
    local at, args = tostring(digest_look + now), {}
    for _, member in ipairs(members) do
        args[#args + 1] = at
        args[#args + 1] = member
    end
    local new = redis.pcall('ZADD', key('digest', ac, co), 'NX', unpack(args))
    if type(new) == 'number' then
        turns[#turns + 1] = tostring(now)
        turns[#turns + 1] = ac .. ':' .. co
    end
end
local function notify_turns(turns)
    in_parts('ZADD', key('digests'), turns, 'NX')
end
local function notify_set(op, groups)
    local text, n = table.concat(groups), #groups
    for i, set in ipairs(op[1]) do
        if table.concat(set) == text then
            return i
        end
        n = n + #set
    end
    if op[5] == 0 and n > notify_groups then
        op[1], op[2], op[5] = {}, {}, 1
    end
    if op[5] == 1 then
        return 1
    end
    op[1][#op[1] + 1] = groups
    op[2][#op[2] + 1] = 0
    return #op[1]
end
-- change(op) changes the operation that waits for the host.
local function notify_note(ht, change)
    local k = key('telling', ac)
    local raw = call('HGET', k, ht)
    local op = raw and cmsgpack.unpack(raw) or {{}, {}, {0, 0, 0, 0}, {}, 0, 0}
    change(op)
    call('HSET', k, ht, cmsgpack.pack(op))
    call('ZADD', key('tellings'), 'NX', tostring(now_ms()), ac)
end
