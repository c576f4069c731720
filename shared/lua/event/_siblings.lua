-- When a list begins or ceases to list an address of a range, the other
-- addresses are checked at once.  The zset "siblings" has "<AC>:<range>"; the
-- score is the place in "kids" behind which to go on.  The addresses become due
-- in slices; their checks and queries are those of the schedule.  An address
-- that is being checked, or that is not in the schedule, stays as it is.
--- include: of
--- include: memory
local siblings_slice = 32
local siblings_apart = 4                -- ms, as new hosts (_host_put.lua)
local function siblings_due(range, rows, now)
    local members, due = {}, {}
    for i = 1, #rows, 2 do
        members[#members + 1] = ac .. ':' .. rows[i]
    end
    for i, begun in ipairs(call('HMGET', key('flight:due'),
        unpack(members)))
    do
        if not begun then
            due[#due + 1] = tostring(now + siblings_apart * #due / 2)
            due[#due + 1] = rows[2 * i - 1]
        end
    end
    if due[1] then
        call('ZADD', key('due', ac), 'XX', 'LT', unpack(due))
    end
    local first = call('ZRANGE', key('due', ac), 0, 0, 'WITHSCORES')
    if first[2] then
        call('ZADD', key('due'), 'LT', first[2], ac)
    end
end
local function siblings_one(queue, member, from)
    local account, range = string.match(member, '^(AC%x+):(HT%x+)$')
    ac = account
    local rows = account and call('ZRANGE', key('kids', ac, range),
        '(' .. from, '+inf', 'BYSCORE', 'LIMIT', 0, siblings_slice,
        'WITHSCORES') or {}
    if rows[1] then
        siblings_due(range, rows, now_ms())
    end
    if #rows == 2 * siblings_slice then
        call('ZADD', queue, rows[#rows], member)
    else
        call('ZREM', queue, member)
    end
end
-- Does a slice.
local function siblings_step()
    local queue = key('siblings')
    local first = call('ZRANGE', queue, 0, 0, 'WITHSCORES')
    if not first[1] then
        return
    end
    local sound, why = pcall(siblings_one, queue, first[1], first[2])
    if not sound and without_memory(why) then
        error(why)
    elseif not sound then
        call('ZREM', queue, first[1])   -- the schedule checks them
    end
end
