-- Ends what there is of one host: its schedule, its listing, its history; a
-- check of it that is queued or running ends as failed.  Returns whether it was
-- in the index and whether it was in the listings, as 1 or 0.
--- include: account
--- include: due
--- include: failed
--- include: refs
--- include: range
--- include: find
--- include: listings
--- include: days
local function host_end(k, h, keep)
    local sid = h[HOST.id]
    local member = ac .. ':' .. sid
    pcall(days_turn, now_ms(), 0, 0)
    if h[HOST.status] == 'active' then
        listings_count(h[HOST.details], -1)
    end
    due_never(sid)
    local unlisted = call('ZREM', key('listed', ac), sid)
    call('ZREM', key('states', ac), sid)
    call('ZREM', key('find', ac), find_members(sid, h[HOST.value],
        h[HOST.name]))
    local gone = call('ZREM', key('hosts', ac), sid)
    call('HDEL', key('uniq', ac), h[HOST.type] .. '|' .. h[HOST.value])
    refs_later(h[HOST.profile], -1)
    groups_count('h', h[HOST.groups], -1)
    local pp = call('HGET', key('flight'), member)
        or call('HGET', key('flight:due'), member)
    if pp then
        call('HDEL', key('flight'), member)
        call('HDEL', key('flight:due'), member)
        check_failed(pp:sub(1, 66), keep, h, h[HOST.value],
            'The host was deleted.')
    end
    call('HDEL', key('marks', ac), sid)
    call('DEL', k, key('hist', ac, sid), key('kids', ac, sid))
    return gone, unlisted
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
