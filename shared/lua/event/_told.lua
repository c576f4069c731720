-- What the message of a batch shows: a part of its hosts (digest_claim).
--- include: of
--- include: digest
--- include: tells
--- include: host_head
local told_octets = 48000               -- of listed hosts, but one at least
-- The entry of a host in "open": "<address>|<name>".
local function name_of(told)
    return string.match(told, '^%d+|(.*)$') or '|'
end
-- The record of a host, packed and unpacked.  For a host that is gone it is
-- made from the contact's entry.
local function record_of(co, id, state)
    local raw = state ~= 3 and call('GET', key('r', ac, id))
    local known = not raw and state % 2 == 1
        and call('HGET', key('open', ac, co), id)
    if known then
        local value, name = string.match(name_of(known), '^([^|]*)|(.*)$')
        raw = cmsgpack.pack({1, id, value, name, '', 0, '', '', '', {}, 0, 0, 0,
            0, 0, 0, {}})
    end
    return raw, raw and cmsgpack.unpack(raw)
end
-- The lists of arrays of listings, current or past, each once.
local function lists_of(listings)
    local sids, system, own, found, seen = {}, {}, {}, {}, {}
    for _, of in ipairs(listings) do
        for _, l in ipairs(of) do
            if not seen[l[1]] then
                seen[l[1]] = true
                sids[#sids + 1] = l[1]
                system[#system + 1] = key('r', 'SYS', l[1])
            end
        end
    end
    for i, raw in ipairs(system[1] and call('MGET', unpack(system)) or {}) do
        if raw then
            found[#found + 1] = raw
        else
            own[#own + 1] = key('r', ac, sids[i])
        end
    end
    for _, raw in ipairs(own[1] and call('MGET', unpack(own)) or {}) do
        found[#found + 1] = raw or nil
    end
    return found
end
-- The marks of the listings of hosts: "<HT>" and a packed array of each, of
-- the first hosts if they are many.
local function marks_told(hosts)
    local marks, found, octets = key('marks', ac), {}, 0
    local some = call('EXISTS', marks) == 1
    for _, h in ipairs(some and hosts or {}) do
        local packed = octets < told_octets and call('HGET', marks, h[HOST.id])
        if packed then
            found[#found + 1] = h[HOST.id]
            found[#found + 1] = packed
            octets = octets + #packed
        end
    end
    return found
end
-- The ranges of hosts: SID, subnet and how many addresses each has.
local function ranges_of(hosts)
    local seen, found = {}, {}
    for _, h in ipairs(hosts) do
        local range = h[HOST.parent]
        if range ~= '' and not seen[range] then
            seen[range] = true
            local head = host_head(range)
            found[#found + 1] = head and range
            found[#found + 1] = head and head.value
            found[#found + 1] = head and call('ZCARD', key('kids', ac, range))
        end
    end
    return found
end
local function count_of(batch, state)
    return call('ZCOUNT', batch, tostring(state * digest_state),
        '(' .. tostring((state + 1) * digest_state))
end
-- The hosts of one state; LIMIT and other words of ZRANGE may follow.
local function hosts_of(batch, state, ...)
    return call('ZRANGE', batch, tostring(state * digest_state),
        '(' .. tostring((state + 1) * digest_state), 'BYSCORE', ...)
end
-- If each host has a message of its own, hosts that are not shown wait for the
-- next digest, except listed ones that share one alert.
local function told_later(batch, co, shown)
    local storm = count_of(batch, 0) > digest_per_host
    for _, state in ipairs({storm and 1 or 0, 1, 3}) do
        for _, id in ipairs(hosts_of(batch, state)) do
            if not shown[id] then
                call('ZADD', key('digest', ac, co), 'NX',
                    tostring(digest_look + now_ms()), '?' .. id)
                call('ZREM', batch, id)
            end
        end
    end
end
-- The record of a listed host with the listings to report at a time (ms); nil:
-- there are none.  A mute may have begun since the state was made.  held: its
-- entry in "held".
local function told_part(t, co, id, h, raw, at, held)
    local _, muted, off = tells_host(t, id, h[HOST.parent], h[HOST.groups])
    if muted then
        return nil
    end
    local time = tostring(at)
    local hidden = held_of(held, time)
    if not t.some and not hidden then
        return raw
    end
    local out, more = tells_shown(t, h[HOST.details], off, hidden, at)
    if more then
        held_put(key('held', ac, co), id, held_more(held, time, more,
            tells_highest(out, 0)), held)
    end
    if #out == #h[HOST.details] then
        return raw
    end
    h[HOST.details], h[HOST.listed_count] = out, #out
    h[HOST.first_listed] = out[1] and out[1][LISTING.since]
    for _, l in ipairs(out) do
        h[HOST.first_listed] = math.min(h[HOST.first_listed],
            l[LISTING.since])
    end
    return out[1] and cmsgpack.pack(h)
end
-- The listings of a host that have ended since the last message about it: those
-- that their lists ended, or in state 3 those whose lists are no longer used.
-- Also returns how many octets were read.  told: the entry of the host in
-- "open".  hidden: the lists that the last message left out.
local function told_ended(t, id, state, h, told, hidden)
    if state == 3 then
        local raw = call('GET', key('r', ac, id))
        local past = raw and cmsgpack.unpack(raw)[HOST.past]
        return tells_ended(t, past, 1, told_at(told)), raw and #raw or 0
    end
    local _, _, off = tells_host(t, id, h[HOST.parent], h[HOST.groups])
    return tells_past(t, state < 2 and h[HOST.past], off, told_at(told),
        hidden), 0
end
-- A digit for each of the first listings, 1 if it is new to the contact.
local told_digits = 50
local function told_new(t, details, told, hidden)
    local digits = {}
    for i = 1, math.min(told_digits, #details) do
        local l = details[i]
        digits[i] = tells_new_to(l, told_at(told), hidden, tells_from(t, l))
            and '1' or '0'
    end
    return table.concat(digits)
end
-- Appends values to an array.
local function in_order(to, ...)
    for i = 1, select('#', ...) do
        to[#to + 1] = (select(i, ...))
    end
end
-- Returns at most `most` hosts of the batch, as {hosts, news, lists, marks,
-- ranges, octets}, which digest_claim describes; octets is their size.  Listed
-- hosts come first and clear ones last.  If each host has a message of its own,
-- ends have up to half of the room.  A host that was deleted, or whose listing
-- has ended since, is left to the next digest.  If many octets were read for
-- that, there may be no hosts although the batch has some.
local function told_of(batch, co, c, most)
    local open, held_back = key('open', ac, co), key('held', ac, co)
    local out, listings = {hosts = {}, news = {}, octets = 0}, {}
    local listed, turned = {}, {}
    local shown, octets = {}, 0
    local t = tells_new(c, now_ms())
    local function put(id, state, raw, h, held)
        local told = call('HGET', open, id)
        local hidden = held_of(held, told_time(told))
        local details = state == 0 and h[HOST.details] or {}
        local ended, read = told_ended(t, id, state, h, told, hidden)
        local flaps = state < 2 and flap_until(h[HOST.flap], now_ms())
        local packed = cmsgpack.pack(ended)
        in_order(out.hosts, raw, state)
        in_order(out.news, told_new(t, details, told, hidden), packed,
            flaps and cmsgpack.pack(h[HOST.flap]) or '')
        in_order(listings, details, ended)
        listed[#listed + 1] = state == 0 and h or nil
        turned[#turned + 1] = state < 2 and h or nil
        shown[id] = true
        out.octets = out.octets + #raw + #packed
        octets = octets + #raw + #packed + read
    end
    local function rows_of(state, limit)
        local rows = hosts_of(batch, state, 'LIMIT', 0, limit, 'WITHSCORES')
        for i = 1, #rows, 2 do
            if octets >= told_octets then
                return
            end
            local id, at = rows[i], tonumber(rows[i + 1]) % digest_state
            local raw, h = record_of(co, id, state)
            local read = raw and #raw or 0
            local held = state < 2 and call('HGET', held_back, id)
            local newer = h and state == 0 and listed_since(h[HOST.details], at)
            if h and state == 0 and h[HOST.listed_count] > 0 and not newer then
                raw = told_part(t, co, id, h, raw, at, held)
                newer = not raw
            end
            if newer then
                call('ZADD', key('digest', ac, co), tostring(now_ms()), id)
            end
            if not h or newer or state == 0 and h[HOST.listed_count] == 0 then
                call('ZREM', batch, id)
                octets = octets + read
            else
                put(id, state, raw, h, held)
            end
        end
    end
    local per_host = digest_per_host_of(c)
    local ends = per_host and math.min(math.floor(most / 2),
        count_of(batch, 1) + count_of(batch, 3)) or 0
    rows_of(0, most - ends)
    octets = 0
    for _, state in ipairs({1, 3, 2}) do
        rows_of(state, most - #out.hosts / 2)
    end
    if per_host then
        told_later(batch, co, shown)
    end
    out.lists = lists_of(listings)
    out.marks, out.ranges = marks_told(listed), ranges_of(turned)
    return out
end
-- Returns the alert that has many hosts ("": none), and 1 if it ends with this
-- batch.
local function storm_of(batch, co, counts)
    local open = key('open', ac, co)
    local storm = call('HGET', open, 'storm') or ''
    if storm == '' or counts[0] > 0 then
        return storm, 0
    end
    local left = call('HLEN', open) - 1
    for state = 1, 3, 2 do
        for _, id in ipairs(hosts_of(batch, state)) do
            left = left - call('HEXISTS', open, id)
        end
    end
    return storm, left == 0 and 1 or 0
end
-- Returns a row of digest_claim and its octets; nil: the batch must be looked
-- at again.
local function told_row(co, c, a, event, most)
    local batch, counts = key('batch', ac, co), {}
    local told, n = told_of(batch, co, c, most), 0
    for state = 0, 3 do
        counts[state] = count_of(batch, state)
        n = n + counts[state]
    end
    if n > 0 and not told.hosts[1] then
        return nil
    end
    local storm, ends = storm_of(batch, co, counts)
    local apart = not digest_per_host_of(c) and 0
        or counts[0] > digest_per_host and 2 or 1
    return {ac .. ':' .. co, apart, event, a[ACCOUNT.timezone],
        counts[0], counts[1], counts[2], told.hosts, told.lists, counts[3],
        storm, ends, told.news, digest_holds(c) and 1 or 0, told.marks,
        now_ms(), told.ranges}, told.octets
end
