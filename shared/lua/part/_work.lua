-- Work that is too large for one script is done in slices.  An account's items
-- wait in the list "work", the first one is under way: packed arrays {version,
-- id, kind, when it was added (ms), cursor, arguments}.  Ids grow, so an item
-- is over when the list is empty or its first item has a larger id.  What an
-- item needs beside its arguments is in the list "work:<AC>:<id>".
-- The request that adds an item runs work_step until the item is over; if its
-- worker dies, a daemon does: "works" holds the accounts with work, by the time
-- from which a daemon may step it (ms).
--- include: account
local work_most = 16            -- items of one account
local work_grace = 3000         -- ms
local function work_busy()
    return call('LLEN', key('work', ac)) >= work_most
end
-- The id of a new item.
local function work_add(kind, args)
    local id, now = call('INCR', key('seq', ac)), now_ms()
    call('RPUSH', key('work', ac),
        cmsgpack.pack({1, id, kind, now, '', args}))
    call('ZADD', key('works'), 'NX', tostring(now + work_grace), ac)
    return id
end
-- The reply of a script whose change is a new item.
local function work_accept(kind, args)
    return work_busy() and {'BUSY'} or {'WORK', work_add(kind, args)}
end
-- The first arguments of the items of a kind, as {SID = true}.
local function work_targets(kind)
    local found = {}
    for _, raw in ipairs(call('LRANGE', key('work', ac), 0, -1)) do
        local item = cmsgpack.unpack(raw)
        if item[WORK.kind] == kind then
            found[item[WORK.args][1]] = true
        end
    end
    return found
end
-- How many items name that SID.
local function work_names(sid)
    local n = 0
    for _, raw in ipairs(call('LRANGE', key('work', ac), 0, -1)) do
        n = n + (string.find(raw, sid, 1, true) and 1 or 0)
    end
    return n
end
-- The next members of a sorted set, at most that many from the item's cursor
-- on, and whether there are more.  Members with the same score stay together.
local function work_page(k, item, most)
    local from = item[WORK.cursor]
    local page = call('ZRANGEBYSCORE', k, from == '' and '-inf' or '(' .. from,
        '+inf', 'WITHSCORES', 'LIMIT', '0', most)
    local members, n = {}, #page / 2
    local more, last = n == most, page[2 * n]
    if more and page[2] ~= last then
        while page[2 * n] == last do
            n = n - 1
        end
    end
    for i = 1, n do
        members[i] = page[2 * i - 1]
    end
    item[WORK.cursor] = page[2 * n] or from
    return members, more
end
