-- Ends what there is of hosts: their schedule, their listings, their history; a
-- check of one that is queued or running ends as failed.  Returns how many were
-- in the index, and how many in the listings.
--- include: account
--- include: due
--- include: failed
--- include: refs
--- include: range
--- include: find
--- include: listings
--- include: days
-- ended: each {key of the record, host}; at least one.
local function hosts_end(ended, keep)
    local sids, members, values, found, gone = {}, {}, {}, {}, {}
    pcall(days_turn, now_ms(), 0, 0)
    for i, one in ipairs(ended) do
        local k, h = unpack(one)
        local sid = h[HOST.id]
        sids[i], members[i] = sid, ac .. ':' .. sid
        values[i] = h[HOST.type] .. '|' .. h[HOST.value]
        for _, member in ipairs({find_address(sid, h[HOST.value]),
            find_members(sid, h[HOST.value], h[HOST.name])})
        do
            found[#found + 1] = member
        end
        gone[3 * i - 2], gone[3 * i - 1] = k, key('hist', ac, sid)
        gone[3 * i] = key('kids', ac, sid)
        if h[HOST.status] == 'active' and listings_count(h[HOST.details], -1)
        then
            listed_in_groups(h[HOST.groups], -1)
        end
        refs_later(h[HOST.profile], -1)
        groups_count('h', h[HOST.groups], -1)
    end
    due_never(unpack(sids))
    local unlisted = call('ZREM', key('listed', ac), unpack(sids))
    call('ZREM', key('states', ac), unpack(sids))
    call('ZREM', key('find', ac), unpack(found))
    local n = call('ZREM', key('hosts', ac), unpack(sids))
    call('HDEL', key('uniq', ac), unpack(values))
    local manual = call('HMGET', key('flight'), unpack(members))
    local scheduled = call('HMGET', key('flight:due'), unpack(members))
    for i, one in ipairs(ended) do
        local pp, h = manual[i] or scheduled[i], one[2]
        if pp then
            call('HDEL', key('flight'), members[i])
            call('HDEL', key('flight:due'), members[i])
            check_failed(pp:sub(1, 66), keep, h, h[HOST.value],
                'The host was deleted.')
        end
    end
    call('HDEL', key('marks', ac), unpack(sids))
    call('DEL', unpack(gone))
    return n, unlisted
end
-- Children of a range are gone; that many of them were listed.
local function range_loses(range, kids, listed)
    call('ZREM', key('kids', ac, range), unpack(kids))
    local pk = key('r', ac, range)
    local parent = listed > 0 and load(pk)
    if parent then
        range_listed(parent, -listed)
        save(pk, parent)
    end
end
