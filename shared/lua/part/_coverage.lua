-- "coverage:<AC>" says which lists apply to the active hosts of an account, and
-- when each last gave an answer (record "coverage" of schema.txt).  Hosts of
-- one profile, type and family are a class: they have the same lists.
--
-- A class is noted when a check of one of its hosts finishes.  A class whose
-- hosts are gone is no longer noted; a reader leaves it out when it is older
-- than the others.
--
-- The last orders of lists that no class has now stay, as classes without a
-- name: hosts that were not checked since have their answers in such an order
-- (field "answers" of their records).
local coverage_classes, coverage_orders, coverage_lists = 64, 16, 1024
local coverage_entry = 24               -- bytes of a list
local coverage_member = 20              -- and of `members` (check_finish)
-- A bit in its minimum interval: it never gave an answer, and its time is when
-- it first had to.
local coverage_never = 1073741824
-- Seconds after which an answer is noted again.
local function coverage_every(interval)
    return math.max(1, math.floor(interval / 8))
end
local function coverage_silent(least)
    return least % (2 * coverage_never) >= coverage_never
end
-- Did list k of a check give an answer?  asks: of check_finish.
local function coverage_answered(asks, k)
    local bit_at = (k - 1) % 8
    return #asks == 16 or bit.band(asks:byte(18 + (k - 1 - bit_at) / 8),
        bit.lshift(1, bit_at)) == 0
end
-- Writes all lists of a class, `members`; "": it has none.  asks: of the check
-- that finished.  s: now, in seconds.  class ";": only their order.
local function coverage_define(raw, class, asks, members, s, interval)
    local ok, t = pcall(cmsgpack.unpack, raw or '')
    if not ok or type(t) ~= 'table' or t[1] ~= 1 or type(t[2]) ~= 'string'
        or #t[2] >= coverage_lists * coverage_entry
    then
        t = {1, ''}
    end
    local at, n, last, times = {}, 0, {}, {}
    for i = 1, #t[2], coverage_entry do
        n = n + 1
        at[t[2]:sub(i, i + 15)] = n
        last[n], times[n] = struct.unpack('>I4I4', t[2], i + 16)
    end
    -- Of other classes the old ones go.
    local out, oldest, orders = {1, ''}, nil, {}
    local function leave(c)
        local _, named = string.find(c, ';', 29, true)
        if c:sub(1, 16) ~= asks:sub(1, 16) then
            orders[#orders + 1] = c:sub(1, 28) .. c:sub(named)
        end
    end
    for i = 3, #t do
        local c = t[i]
        local full, seen = struct.unpack('>I4I4', c, 21)
        if c:byte(29) == 59 then
            leave(c)
        elseif c:sub(29, 28 + #class) == class then
            leave(c)
            for j = 29 + #class, #c, 2 do
                local list = struct.unpack('>I2', c, j)
                if full > 0 then
                    times[list] = coverage_silent(last[list]) and full
                        or math.max(times[list], full)
                    last[list] = last[list] - (coverage_silent(last[list])
                        and coverage_never or 0)
                end
            end
        elseif seen + 4 * interval > s then
            out[#out + 1] = c
            oldest = (not oldest or seen < oldest[2]) and {#out, seen} or oldest
        else
            leave(c)
        end
    end
    if #out >= coverage_classes + 2 then
        leave(table.remove(out, oldest[1]))
    end
    local full = #asks == 16 and s or 0
    local places, k = {}, 0
    for i = 1, #members, coverage_member do
        local sid, least = members:sub(i, i + 15),
            struct.unpack('>I4', members, i + 16)
        local list = at[sid]
        if not list then
            n = n + 1
            list, at[sid], times[n], last[n] = n, n, s, coverage_never
        end
        k = k + 1
        local never = coverage_silent(last[list])
        if coverage_answered(asks, k) then
            times[list], never = s, false
        end
        last[list] = least + (never and coverage_never or 0)
        places[k] = struct.pack('>I2', list)
    end
    if k > 0 then
        out[#out + 1] = asks:sub(1, 16)
            .. struct.pack('>I4I4I4', full > 0 and s + coverage_every(interval)
            or 0, full, s) .. class .. table.concat(places)
    end
    local entries = {}
    for sid, list in pairs(at) do
        entries[list] = sid .. struct.pack('>I4I4', last[list], times[list])
    end
    out[2] = table.concat(entries)
    for i = math.max(1, #orders - coverage_orders + 1), #orders do
        out[#out + 1] = orders[i]
    end
    if out[3] then
        call('SET', key('coverage', ac), cmsgpack.pack(out))
    else
        call('DEL', key('coverage', ac))
    end
end
-- Some lists of a check gave an answer, others not: notes those whose last one
-- is not noted as recent, or would not be until a mark ends that begins at
-- `since` (s; _checked.lua).  class: its place in the packed record.
local function coverage_some(raw, class, asks, s, interval, since)
    local ends = since + coverage_every(interval)
    local t, name, i = cmsgpack.unpack(raw), nil, 2
    name = raw:sub(class, string.find(raw, ';', class, true))
    repeat
        i = i + 1
    until t[i]:sub(29, 28 + #name) == name
    local c, lists, put, next_at = t[i], t[2], {}, nil
    local full, seen = struct.unpack('>I4I4', c, 21)
    for j = 1, (#c - 28 - #name) / 2 do
        local place = struct.unpack('>I2', c, 27 + #name + 2 * j) * 24 - 23
        local least, last = struct.unpack('>I4I4', lists, place + 16)
        local every = coverage_every(math.max(interval,
            least % coverage_never))
        local never = coverage_silent(least)
        last = never and full or math.max(last, full)
        if (s >= last + every or last + every < ends or last > s)
            and coverage_answered(asks, j)
        then
            put[place], last = struct.pack('>I4I4',
                least - (never and coverage_never or 0), s), s
        end
        next_at = math.min(next_at or last + every, last + every)
    end
    if not next(put) and s < seen + coverage_every(interval) and s >= seen
        and seen >= since
    then
        return raw
    end
    local from, out = 1, {}
    for place = 1, next(put) and #lists or 0, coverage_entry do
        if put[place] then
            out[#out + 1] = lists:sub(from, place + 15)
            out[#out + 1] = put[place]
            from = place + coverage_entry
        end
    end
    out[#out + 1] = lists:sub(from)
    t[2] = table.concat(out)
    t[i] = c:sub(1, 16) .. struct.pack('>I4I4I4', next_at or 0, full, s)
        .. c:sub(29)
    raw = cmsgpack.pack(t)
    call('SET', key('coverage', ac), raw)
    return raw
end
