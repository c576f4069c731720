-- The contents of a batch, a page at a time: a daemon asks for the pages of a
-- message one after the other (digest_claim, digest_more).
--- include: base
--- include: of
--- include: digest
--- use: host contact account
local told_rows = 50                    -- of a page
local told_octets = 48000               -- likewise, but one row at least
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
-- Lists that these hosts are on, each once.
local function lists_of(hosts)
    local sids, system, own, found, seen = {}, {}, {}, {}, {}
    for _, h in ipairs(hosts) do
        for _, l in ipairs(h[HOST.details]) do
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
local function count_of(batch, state)
    return call('ZCOUNT', batch, tostring(state * digest_state),
        '(' .. tostring((state + 1) * digest_state))
end
-- The rows from the one on that is number `from` (0: the first), at most until
-- there are `most` of all: listed ones first, those that were clear before
-- last. Where each host is a message of its own all ends are among them.  Of a
-- host that was deleted since, or a listing that is over since, nothing is
-- told: the next digest has that.  Also whether there are more, and whether
-- some are gone.
local function told_of(batch, co, c, from, most)
    local told, listed, octets, less, seen = {}, {}, 0, false, 0
    local function page(state, limit)
        local skip = math.max(0, from + #told / 2 - seen)
        local rows = call('ZRANGE', batch, tostring(state * digest_state),
            '(' .. tostring((state + 1) * digest_state), 'BYSCORE', 'LIMIT',
            skip, math.max(0, math.min(limit - skip, told_rows)), 'WITHSCORES')
        for i = 1, #rows, 2 do
            if #told >= 2 * told_rows or octets >= told_octets then
                return
            end
            local raw, h = record_of(co, rows[i], state)
            local newer = h and state == 0 and listed_since(h[HOST.details],
                tonumber(rows[i + 1]) % digest_state)
            if newer then
                call('ZADD', key('digest', ac, co), tostring(now_ms()), rows[i])
            end
            if not h or newer or state == 0 and h[HOST.listed_count] == 0 then
                call('ZREM', batch, rows[i])
                less = true
            else
                listed[#listed + 1] = state == 0 and h or nil
                told[#told + 1] = raw
                told[#told + 1] = state
                octets = octets + #raw
            end
        end
    end
    local keep = digest_per_host_of(c) and count_of(batch, 1)
        + count_of(batch, 3) or 0
    for _, state in ipairs({0, 1, 3, 2}) do
        local n = count_of(batch, state)
        local limit = math.min(n, math.max(0, most - seen
            - (state == 0 and keep or 0)))
        if from + #told / 2 >= seen then
            page(state, limit)
        end
        seen = seen + math.min(limit, count_of(batch, state))
    end
    return told, lists_of(listed), from + #told / 2 < math.min(seen, most),
        less
end
-- The alert that has many hosts, and does it end with this batch?
local function storm_of(batch, co, counts)
    local open = key('open', ac, co)
    local storm = call('HGET', open, 'storm') or ''
    if storm == '' or counts[0] > 0 then
        return storm, 0
    end
    local left = call('HLEN', open) - 1
    for state = 1, 3, 2 do
        for _, id in ipairs(call('ZRANGE', batch, tostring(state
            * digest_state), '(' .. tostring((state + 1) * digest_state),
            'BYSCORE'))
        do
            left = left - call('HEXISTS', open, id)
        end
    end
    return storm, left == 0 and 1 or 0
end
-- A page, as digest_claim tells it; `event` is the batch's from now on if that
-- says less than before.
local function told_page(co, c, a, event, from, most)
    local batch, counts = key('batch', ac, co), {}
    local told, lists, more, less = told_of(batch, co, c, from, most)
    -- A claim before this one reports more, and its daemon comes too late.
    if less then
        call('ZREMRANGEBYSCORE', batch, -1, -1)
        call('ZADD', batch, -1, event)
    end
    for state = 0, 3 do
        counts[state] = count_of(batch, state)
    end
    local storm, ends = storm_of(batch, co, counts)
    return {ac .. ':' .. co, c[CONTACT.type],
        call('ZRANGE', batch, 0, 0)[1], a[ACCOUNT.timezone],
        counts[0], counts[1], counts[2], told, lists, counts[3], storm, ends,
        more and 1 or 0}
end
