-- Does a slice of what waits for contacts to be told: marks and looks of a host
-- go into the digests of the next contacts of its account (_notify.lua).  Each
-- contact has them once, whichever daemons do the slices.
-- KEYS[1] tellings
-- Result  OK, 1: there is more to do, 0: there is not
--- include: base
--- include: of
--- include: notify
local slice_lookups = 500
local slice_contacts = 100
-- What is being done, or begins: its host, the operation; nil: nothing waits.
local function begun(k)
    local raw = call('HGET', k, '>')
    if raw then
        local at = string.find(raw, ':', 1, true)
        return raw:sub(1, at - 1), cmsgpack.unpack(raw:sub(at + 1))
    end
    local ht = call('HRANDFIELD', k)
    if not ht then
        return nil
    end
    local op = cmsgpack.unpack(call('HGET', k, ht))
    op[6] = '-inf'
    return ht, op
end
-- The groups of an operation, as {key, numbers of the sets that have it}.
local function groups_of(op)
    if op[5] == 1 then
        return {{key('hears', ac), {1}}}
    end
    local groups, of = {}, {}
    for i, set in ipairs(op[1]) do
        for _, g in ipairs(set) do
            if not of[g] then
                of[g] = {}
                groups[#groups + 1] = {key('hears', ac, g), of[g]}
            end
            of[g][#of[g] + 1] = i
        end
    end
    return groups
end
-- Which class each contact has, and which sets of the operation it is in.
local function sets_of(op, groups, cos)
    local class, has = {}, {}
    for i = 1, #cos do
        has[i] = {}
    end
    for _, g in ipairs(groups) do
        local scores = redis.pcall('ZMSCORE', g[1], unpack(cos))
        for i, score in ipairs(scores) do
            if score then
                class[i] = tonumber(score)
                for _, set in ipairs(g[2]) do
                    has[i][set] = true
                end
            end
        end
    end
    return class, has
end
local function apply(turns, op, ht, co, class, has, now)
    local n, marked = 0, false
    for set in pairs(has) do
        n = n + 1
        marked = marked or op[2][set] == 1
    end
    if marked and (op[3][class] or 0) > 0 then
        notify_mark(turns, co, ht, op[3][class], now)
    end
    if op[4][1] and class <= hears_while_open and (op[5] == 1 or n < #op[1])
    then
        notify_look(turns, co, op[4], now)
    end
end
local function slice()
    local k = key('telling', ac)
    local ht, op = begun(k)
    if not ht then
        return false
    end
    local groups, now, turns, cos = groups_of(op), now_ms(), {}, {}
    local n = math.min(slice_contacts,
        math.ceil(slice_lookups / math.max(1, #groups)))
    local rows = call('ZRANGE', key('contacts', ac), '(' .. op[6], '+inf',
        'BYSCORE', 'LIMIT', 0, n, 'WITHSCORES')
    for i = 1, #rows, 2 do
        cos[#cos + 1] = rows[i]
        op[6] = rows[i + 1]
    end
    local start = call('HSET', k, '>', ht .. ':' .. cmsgpack.pack(op)) == 1
    if start then
        call('HDEL', k, ht)
    end
    local class, has = sets_of(op, groups, cos)
    for i, co in ipairs(cos) do
        if class[i] then
            apply(turns, op, ht, co, class[i], has[i], now)
        end
    end
    notify_turns(turns)
    if #cos < n then
        call('HDEL', k, '>')
    end
    return call('EXISTS', k) == 1
end
local queue = KEYS[1]
ac = call('ZRANGE', queue, 0, 0)[1]
if not ac then
    return {'OK', 0}
end
local sound, more = pcall(slice)
if not sound and string.find(tostring(type(more) == 'table' and more.err
    or more), 'OOM', 1, true)
then
    error(more)
end
if not sound then
    -- What cannot be read waits for who mends it (rblctl fsck).
    call('ZADD', queue, tostring(now_ms() + 60000), ac)
elseif more then
    call('ZADD', queue, tostring(now_ms()), ac)
else
    call('ZREM', queue, ac)
end
return {'OK', call('EXISTS', queue)}
