-- "coverage:<AC>" says which lists apply to the active hosts of an account, and
-- when each last gave an answer (record "coverage" of schema.txt).  Hosts of
-- one profile, type and family are a class: they have the same lists.
--
-- A class is noted when a host joins it, and when a check of one of its hosts
-- finishes.  A class whose hosts are gone is no longer noted; a reader leaves
-- it out when it is older than the others.
--- include: lists
--- use: list
local coverage_classes, coverage_lists = 64, 1024
local coverage_entry = 24               -- bytes of a list
-- Bits in its minimum interval: it is critical; it never gave an answer, and
-- its time is when it first had to.
local coverage_critical, coverage_never = 2147483648, 1073741824
-- Seconds after which an answer is noted again.
local function coverage_every(interval)
    return math.max(1, math.floor(interval / 8))
end
local function coverage_silent(least)
    return least % coverage_critical >= coverage_never
end
local function coverage_class(profile, htype, family)
    return profile .. ':' .. family .. ':' .. htype .. ';'
end
-- Where the name of a class is in the packed record; nil: nowhere.
local function coverage_find(raw, profile, htype, family)
    local at = raw and string.find(raw, coverage_class(profile, htype, family),
        1, true)
    return at and at > 28 and at
end
local function coverage_get(k)
    local raw = redis.pcall('GET', k)
    return type(raw) == 'string' and raw
end
local function coverage_sid(sid)
    return struct.pack('>I4I4I4I4', tonumber(sid:sub(3, 10), 16) or 0,
        tonumber(sid:sub(11, 18), 16) or 0, tonumber(sid:sub(19, 26), 16) or 0,
        tonumber(sid:sub(27), 16) or 0)
end
-- The lists of a class: SIDs in 16 bytes; the minimum interval of each, with
-- the bit of a critical one; their digest (check_finish).
local function coverage_of(profile, htype, family)
    local lists = cmsgpack.unpack((lists_for(profile, htype, family, false)))
    local system, sids, least, text = {}, {}, {}, {}
    for _, l in ipairs(lists) do
        if l[3] ~= 1 then
            system[#system + 1] = key('r', 'SYS', l[1])
        end
    end
    local records, n = system[1] and call('MGET', unpack(system)), 0
    for i, l in ipairs(lists) do
        local critical, seconds = '', 0
        if l[3] ~= 1 then
            n = n + 1
            local r = records[n] and cmsgpack.unpack(records[n]) or {}
            critical = r[LIST.tier] == 'critical' and '!' or ''
            seconds = tonumber(r[LIST.min_interval]) or 0
        end
        sids[i] = coverage_sid(l[1])
        text[i] = l[1] .. critical .. string.format('%.0f', seconds)
        least[i] = math.max(0, math.min(seconds, 1e9))
            + (critical ~= '' and coverage_critical or 0)
    end
    return sids, least, redis.sha1hex(table.concat(text)):sub(1, 16)
end
-- Writes the lists of a class anew.  asks: of the check that finished; "": none
-- did.  s: now, in seconds.  changed: only the profile has, no host was seen.
local function coverage_define(raw, profile, htype, family, asks, s, interval,
    changed)
    local ok, t = pcall(cmsgpack.unpack, raw or '')
    if not ok or type(t) ~= 'table' or t[1] ~= 1 or type(t[2]) ~= 'string'
        or #t[2] >= coverage_lists * coverage_entry
    then
        t = {1, ''}
    end
    local class = coverage_class(profile, htype, family)
    local sids, least, digest = coverage_of(profile, htype, family)
    local at, n, last, times = {}, 0, {}, {}
    for i = 1, #t[2], coverage_entry do
        n = n + 1
        at[t[2]:sub(i, i + 15)] = n
        last[n], times[n] = struct.unpack('>I4I4', t[2], i + 16)
    end
    -- Of other classes the old ones go.
    local out, oldest, since = {1, ''}, nil, s
    for i = 3, #t do
        local c = t[i]
        local full, seen = struct.unpack('>I4I4', c, 21)
        if c:sub(29, 28 + #class) == class then
            for j = 29 + #class, #c, 2 do
                local list = struct.unpack('>I2', c, j)
                if full > 0 then
                    times[list] = coverage_silent(last[list]) and full
                        or math.max(times[list], full)
                    last[list] = last[list] - (coverage_silent(last[list])
                        and coverage_never or 0)
                end
            end
            since = changed and seen or s
        elseif seen + 4 * interval > s then
            out[#out + 1] = c
            oldest = (not oldest or seen < oldest[2]) and {#out, seen} or oldest
        end
    end
    if #out >= coverage_classes + 2 then
        table.remove(out, oldest[1])
    end
    local known = asks:sub(1, 16) == digest
    local full = known and #asks == 16 and s or 0
    local members = {}
    for i, sid in ipairs(sids) do
        local list = at[sid]
        if not list then
            n = n + 1
            list, at[sid], times[n], last[n] = n, n, s, coverage_never
        end
        local never = coverage_silent(last[list])
        if known and (full > 0 or asks:byte(16 + i) == 49) then
            times[list], never = s, false
        end
        last[list] = least[i] + (never and coverage_never or 0)
        members[i] = struct.pack('>I2', list)
    end
    if members[1] then
        out[#out + 1] = digest
            .. struct.pack('>I4I4I4', full > 0 and s + coverage_every(interval)
            or 0, full, since) .. class .. table.concat(members)
    end
    local entries = {}
    for sid, list in pairs(at) do
        entries[list] = sid .. struct.pack('>I4I4', last[list], times[list])
    end
    out[2] = table.concat(entries)
    raw = out[3] and cmsgpack.pack(out)
    if raw then
        call('SET', key('coverage', ac), raw)
    else
        call('DEL', key('coverage', ac))
    end
    return raw
end
-- Some lists of a check gave an answer, others not: notes those whose last one
-- is not noted as recent.  class: its place in the packed record.
local function coverage_some(raw, class, asks, s, interval)
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
        if asks:byte(16 + j) == 49 and (s >= last + every or last > s) then
            put[place], last = struct.pack('>I4I4',
                least - (never and coverage_never or 0), s), s
        end
        next_at = math.min(next_at or last + every, last + every)
    end
    if not next(put) and s < seen + coverage_every(interval) and s >= seen then
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
-- A host is active in a class from now on: its lists apply, and those that gave
-- no answer yet are silent.
local function coverage_expect(profile, htype, family, interval)
    local k, s = key('coverage', ac), math.floor(now_ms() / 1000)
    local raw = coverage_get(k)
    local at = coverage_find(raw, profile, htype, family)
    if not at then
        if not pcall(coverage_define, raw, profile, htype, family, '', s,
            interval)
        then
            call('DEL', k)
        end
        return
    end
    local seen = struct.unpack('>I4', raw, at - 4)
    if seen + interval < s or seen > s then
        call('SET', k, raw:sub(1, at - 5) .. struct.pack('>I4', s)
            .. raw:sub(at))
    end
end
-- The lists of a profile have changed.
local function coverage_profile(profile, interval)
    local k, s = key('coverage', ac), math.floor(now_ms() / 1000)
    local raw = coverage_get(k)
    for _, htype in ipairs({'rbl', 'uribl'}) do
        for _, family in ipairs({1, 2, 4}) do
            if coverage_find(raw, profile, htype, family) then
                local done
                done, raw = pcall(coverage_define, raw, profile, htype, family,
                    '', s, interval, true)
                if not done then
                    call('DEL', k)
                    return
                end
            end
        end
    end
end
