-- Does a slice of the notifications that wait: marks and looks of a host go
-- into the digests of the next contacts of its account (_notify.lua).  Each
-- contact gets them once, whichever daemons do the slices.  The end of a mute
-- gives all contacts of its account a look; for a mute that is repeated the
-- daemon is asked for its next time.  Addresses of ranges become due
-- (_siblings.lua).
--- key: tellings
--- reply: OK more# asks[]  1: there is more to do, 0: there is not; a row for
--          each mute whose next time is to be set (mute_next.lua)
--- row: ask member rule minutes# from# last# now# timezone
-- member: "<AC>:<MU>".  The next time begins at `from` or later, and ends after
-- `now`.  last: when the mute is over; 0: never (ms).
--- include: of
--- include: notify
--- include: mutes
--- include: siblings
local slice_contacts = 16
local slice_mutes = 8
local ask_lease = 30000                 -- ms
-- Returns the host and the operation of the present work; nil: there is none.
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
-- The sets of the operation by group: {group = numbers of the sets with it}.
local function sets_of(op)
    local of = {}
    for i, set in ipairs(op[1]) do
        for _, g in ipairs(set) do
            of[g] = of[g] or {}
            of[g][#of[g] + 1] = i
        end
    end
    return of
end
-- The sets of the operation that have a group of the contact; nil: none.
local function in_sets(op, of, c)
    if op[5] == 1 then
        return {true}
    end
    local has = {}
    for _, g in ipairs(c[CONTACT.groups]) do
        for _, set in ipairs(of[g] or {}) do
            has[set] = true
        end
    end
    return next(has) and has
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
    if op[4][1] and (op[5] == 1 or n < #op[1]) then
        notify_look(turns, co, op[4], now)
    end
end
local function tell_one(turns, op, ht, of, co, raw, now)
    local c = raw and cmsgpack.unpack(raw)
    local class = hears_class(c)
    local has = class and in_sets(op, of, c)
    if has then
        apply(turns, op, ht, co, class, has, now)
    end
end
local function slice()
    local k = key('telling', ac)
    local ht, op = begun(k)
    if not ht then
        return false
    end
    local now, turns, cos, records = now_ms(), {}, {}, {}
    local rows = call('ZRANGE', key('contacts', ac), '(' .. op[6], '+inf',
        'BYSCORE', 'LIMIT', 0, slice_contacts, 'WITHSCORES')
    for i = 1, #rows, 2 do
        cos[#cos + 1] = rows[i]
        records[#records + 1] = key('r', ac, rows[i])
        op[6] = rows[i + 1]
    end
    local start = call('HSET', k, '>', ht .. ':' .. cmsgpack.pack(op)) == 1
    if start then
        call('HDEL', k, ht)
    end
    local of = sets_of(op)
    for i, raw in ipairs(cos[1] and call('MGET', unpack(records)) or {}) do
        pcall(tell_one, turns, op, ht, of, cos[i], raw, now)
    end
    notify_turns(turns)
    if #cos < slice_contacts then
        call('HDEL', k, '>')
    end
    return call('EXISTS', k) == 1
end
-- Handles the end of a time of a mute.  Returns a row of asks, or nil.
local function mute_turn(member, now)
    ac = member:sub(1, 34)
    local m = load(key('r', ac, member:sub(36)))
    if not m or mute_over(m) <= now then
        mutes_done(member:sub(36))
        return nil
    end
    call('ZADD', key('unmutes'), tostring(now + ask_lease), member)
    return {member, m[MUTE.rule], m[MUTE.minutes], m[MUTE.begins],
        m[MUTE.last], now, load(key('acct', ac))[ACCOUNT.timezone]}
end
local asks = {}
local function mutes_turn(now)
    local due = call('ZRANGE', key('unmutes'), '-inf', now, 'BYSCORE',
        'LIMIT', 0, slice_mutes)
    for _, member in ipairs(due) do
        local sound, ask = pcall(mute_turn, member, now)
        if sound then
            asks[#asks + 1] = ask
        else
            -- A damaged record waits until rblctl fsck repairs it.
            call('ZADD', key('unmutes'), tostring(now + 60000), member)
        end
    end
end
mutes_turn(now_ms())
siblings_step()
local queue = KEY.tellings
ac = call('ZRANGE', queue, 0, 0)[1]
if not ac then
    return {'OK', call('EXISTS', key('siblings')), asks}
end
local sound, more = pcall(slice)
if not sound and without_memory(more) then
    error(more)
end
if not sound then
    -- A damaged record waits until rblctl fsck repairs it.
    call('ZADD', queue, tostring(now_ms() + 60000), ac)
elseif more then
    call('ZADD', queue, tostring(now_ms()), ac)
else
    call('ZREM', queue, ac)
end
return {'OK', math.min(1, call('EXISTS', queue, key('siblings'))), asks}
