-- Turns the marks and looks of a digest into states of hosts, by the record of
-- each host and by what the contact knows.  The digest is renamed to "making",
-- so that later marks go into the next digest.  "making" becomes the batch in
-- slices, which any daemon may do; each host is done once.
--- include: of
--- include: notify
--- include: host_head
--- include: tells
local states_hosts = 50                 -- in one call
local states_octets = 100000            -- of lists of hosts
-- How many ends are looked for in a batch if each host has a message of its
-- own: no more than the batch can show (_told.lua).
local states_ends = 25
local states_left = states_hosts
-- The whole record of a host; h: its head.
local function record_of_head(id, h)
    if not h.record then
        local raw = h.raw
        if not raw then
            raw = call('GET', key('r', ac, id))
            states_left = states_left - #raw * states_hosts / states_octets
        end
        h.record = cmsgpack.unpack(raw)
    end
    return h.record
end
-- How long after the next check a listing that needs more checks is looked at
-- again: it is looked at once a minute at most.
local states_check = 60000
-- Returns the state of a listed host that the contact has, its muted lists
-- (nil: none), and when to look at it again (nil: never).  off: the lists that
-- are muted for it.  A mark may be for a listing that the contact is not
-- notified about.
local function state_listed(s, id, h, off, mark, told, held, hidden)
    local c, t = s.c, s.tells
    local looks = digest_hears_ends(c) or held
    local marked = mark and mark < 2
    if not t.some and not hidden then
        local tells = marked and c[CONTACT.schedule] ~= 'start_and_end'
            or (marked or looks) and (not told
                or listed_since(record_of_head(id, h)[HOST.details],
                told_at(told)))
        return tells and 0 or nil
    end
    local r = record_of_head(id, h)
    local out, news, muted, known, next = tells_of(t, r[HOST.details], off,
        told_at(told), hidden, s.now)
    if next == math.huge then
        next = math.max(s.now, r[HOST.next_check]) + states_check
    end
    if not out[1] then
        return not known and told and 3 or nil, muted, next
    end
    if c[CONTACT.schedule] ~= 'start_and_end' and marked then
        return 0, muted, next
    end
    return (marked or looks) and (not told or news) and 0 or nil, muted, next
end
-- Has a host that no list lists lost a listing because the list is no longer
-- used?  told: the entry of the host in "open"; nil: only its last check
-- counts.
local function state_disused(s, id, h, told)
    local r = record_of_head(id, h)
    return tells_ended(s.tells, r[HOST.past], 1, told and told_at(told)
        or r[HOST.checked] - 1)[1]
end
-- The state of a host; nil: it is not reported.  h: the record of the host.
-- theirs: the contact has the host.  off: the lists that are muted for it.
-- mark: 0, 1, 2 or nil.  told: the entry of the host in "open".  held:
-- something was held back.  hidden: the lists that the last message left out.
-- The end of a listing that the contact does not know is not reported: to the
-- contact the check has found a clear host, unless it left out a list that had
-- listed the host.
local function state_of(s, id, h, theirs, off, mark, told, held, hidden)
    local c = s.c
    if theirs and h.listed then
        return state_listed(s, id, h, off, mark, told, held, hidden)
    end
    if theirs then
        local clear = mark == 2
            or mark and c[CONTACT.schedule] == 'every_check'
        if (told or clear and mark < 2) and state_disused(s, id, h, told) then
            return told and 3 or nil
        end
        return told and 1 or clear and 2 or nil
    end
    return told and (h and not h.listed and not state_disused(s, id, h, told)
        and 1 or 3) or nil
end
-- Returns the state to report while a host flaps, and the highest weight of
-- that message.  off: the lists that are muted for it.  hidden, weight: of the
-- last message (held_of).  A weight from an earlier flapping does not count.
local function state_flapping(s, r, state, off, told, hidden, weight)
    local at = told_at(told)
    if state ~= 0 then
        return nil
    end
    local out, news = tells_of(s.tells, r[HOST.details], off, at, hidden,
        s.now)
    weight = at >= r[HOST.flap][FLAP.at] and weight or nil
    if weight and (not news or news <= weight) then
        return nil
    end
    return 0, tells_highest(out, weight or 0)
end
local function states_new(co, c, now)
    local s = {c = c, now = now, digest = key('digest', ac, co),
        making = key('making', ac, co), batch = key('batch', ac, co),
        open = key('open', ac, co), held = key('held', ac, co),
        tells = tells_new(c, now),
        waits = call('EXISTS', key('telling', ac)) == 1}
    states_left = states_left - s.tells.mutes.n / 20
    return s
end
-- Notes what is held back of a host.  x.muted: true, the muted lists, or nil;
-- x.flaps: the host flaps; x.was: the entry before, or false; x.told: the entry
-- of the host in "open"; x.hidden, x.weight: of that message (held_of); x.at,
-- x.highest: time and weight of the message that is made, or nil.  A list that
-- was left out before and is no longer muted is news: it is in that message, or
-- waits while the host flaps.
local function states_hold(s, id, x)
    local hidden, time = x.hidden, told_time(x.told)
    if hidden and not x.state and not x.flaps and x.muted ~= true then
        hidden = held_both(hidden, x.muted)
    end
    held_put(s.held, id, (x.muted and 'm' or '') .. (x.flaps and 'f' or '')
        .. held_entry(time ~= x.at and time, hidden, x.flaps and x.weight)
        .. held_entry(x.at, x.muted ~= true and x.muted, x.flaps and x.highest),
        x.was)
end
-- Leaves a host to the next digest, which will know more about it.
local function states_back(s, id, mark, look)
    local newer = tonumber(call('ZSCORE', s.digest, id) or nil)
    if mark and (not newer or newer >= digest_clear and mark < newer) then
        call('ZADD', s.digest, tostring(mark), id)
    end
    if look then
        call('ZADD', s.digest, 'NX', tostring(digest_look + s.now), look)
    end
    call('ZREM', s.making, id)
end
-- Does one host.  look: the member of the digest if it is a look, or nil; name:
-- of a host that was deleted.
local function states_host(s, id, look, name)
    local delayed = look == '+' .. id
    local mark = tonumber(call('ZSCORE', s.making, id) or nil)
    states_left = states_left - 1
    if s.waits and notify_waits(id) or call('ZSCORE', s.digest, id) then
        return states_back(s, id, mark, look)
    end
    local h, theirs, muted, off = host_head(id), false, false, nil
    if h then
        theirs, muted, off = tells_host(s.tells, id, h.parent, h.groups)
    end
    local told, was = call('HGET', s.open, id), call('HGET', s.held, id)
    local hidden, weight = held_of(was, told_time(told))
    local next, flaps, highest
    local state = h and h.type ~= 'ip_range' or not h and told or nil
    if muted then
        muted, state = state and (h.listed or told) and true, nil
    elseif state then
        state, muted, next = state_of(s, id, h, theirs, off, mark and
            math.floor(mark / digest_state), told, was or delayed, hidden)
    end
    if theirs and s.tells.holds and (state or was) then
        local r = record_of_head(id, h)
        flaps = flap_until(r[HOST.flap], s.now)
        if flaps then
            state, highest = state_flapping(s, r, state, off, told, hidden,
                weight)
            next = math.min(next or flaps, flaps)
        end
    end
    if next then
        call('ZADD', s.digest, tostring(digest_look + next), '+' .. id)
    end
    if state == 3 and (h or name) then
        -- The message has its last name.
        call('HSET', s.open, id, string.match(told, '^%d*') .. '|'
            .. (h and h.value .. '|' .. h.name or name))
    end
    if state and state % 2 == 1 and not digest_hears_ends(s.c) then
        call('HDEL', s.open, id)
        state, told = nil, nil
    end
    if not call('ZSCORE', s.batch, id) then
        local at = mark and not s.tells.some and mark % digest_state or s.now
        states_hold(s, id, {state = state, muted = muted, flaps = flaps,
            was = was, told = told, hidden = hidden, weight = weight,
            at = state == 0 and tostring(at), highest = highest})
        if state then
            call('ZADD', s.batch, tostring(state * digest_state + at), id)
        end
    end
    call('ZREM', s.making, id)
end
-- Looks at all hosts that the contact knows, then at those with something held
-- back ("~"), from a cursor on.
local function states_all(s, member, of, cursor)
    local r = call('HSCAN', of == '*' and s.open or s.held,
        cursor == '' and '0' or cursor, 'COUNT', states_hosts)
    for i = 1, #r[2], 2 do
        local id = r[2][i]
        if string.find(id, '^HT') and states_left > 0 then
            states_host(s, id, '?' .. id)
        elseif string.find(id, '^HT') then
            call('ZADD', s.making, tostring(digest_look), '?' .. id)
        end
    end
    call('ZREM', s.making, member)
    if r[1] ~= '0' then
        call('ZADD', s.making, tostring(digest_look), of .. r[1])
    elseif of == '*' and call('EXISTS', s.held) == 1 then
        call('ZADD', s.making, tostring(digest_look), '~')
    end
end
-- Looks at the addresses of a range, from one on.
local function states_kids(s, member, range, from)
    local rows = call('ZRANGE', key('kids', ac, range),
        from == '' and '-inf' or '(' .. from, '+inf', 'BYSCORE',
        'LIMIT', 0, states_hosts, 'WITHSCORES')
    local n = 0
    while rows[n + 1] and states_left > 0 do
        states_host(s, rows[n + 1], '?' .. rows[n + 1])
        n, from = n + 2, rows[n + 2]
    end
    call('ZREM', s.making, member)
    if n < #rows or n == 2 * states_hosts then
        call('ZADD', s.making, tostring(digest_look), '?' .. range .. '+'
            .. from)
    end
end
-- Does the looks that are not due yet: the contact no longer waits as long.
local function states_soon(s, member)
    local rows = call('ZRANGE', s.making, tostring(digest_look + s.now), '+inf',
        'BYSCORE', 'LIMIT', 0, states_hosts)
    for _, delayed in ipairs(rows) do
        states_host(s, delayed:sub(2), delayed)
        call('ZREM', s.making, delayed)
    end
    if not rows[1] then
        call('ZREM', s.making, member)
    end
end
-- Puts a look into the next digest for its time, unless that has another time.
local function states_later(s, member)
    states_left = states_left - 0.2
    call('ZADD', s.digest, 'NX', call('ZSCORE', s.making, member), member)
    call('ZREM', s.making, member)
end
local function states_look(s, member)
    local of, cursor = string.match(member, '^([*~])(%d*)$')
    local id, rest = string.match(member, '^%?(HT%x+)(.*)$')
    local delayed = string.match(member, '^%+(HT%x+)$')
    if member == '+' then
        states_soon(s, member)
    elseif delayed then
        states_host(s, delayed, member)
        call('ZREM', s.making, member)
    elseif cursor then
        states_all(s, member, of, cursor)
    elseif id and rest:sub(1, 1) == '|' then
        states_host(s, id, member, rest:sub(2))
        call('ZREM', s.making, member)
    elseif id then
        if rest == '' then
            states_host(s, id, member)
        end
        states_kids(s, member, id, rest:sub(2))
    else
        call('ZREM', s.making, member)
    end
end
-- The number of hosts for which the batch still has room.
local function states_room(s)
    local ends = 0
    if digest_per_host_of(s.c) then
        for state = 1, 3, 2 do
            ends = ends + call('ZCOUNT', s.batch, tostring(state
                * digest_state), '(' .. tostring((state + 1) * digest_state))
        end
    end
    return math.min(states_ends - ends, digest_most - call('ZCARD', s.batch))
end
-- Does a slice.  True: the batch is made, or there is none.
local function states_make(s)
    if call('EXISTS', s.making) == 0 then
        if call('EXISTS', s.batch) == 1 or call('EXISTS', s.digest) == 0 then
            return true
        end
        call('RENAME', s.digest, s.making)
    end
    local room = states_room(s)
    while states_left > 0 and room > 0 do
        local look = call('ZRANGE', s.making, tostring(digest_look),
            tostring(digest_look + s.now), 'BYSCORE', 'LIMIT', 0, 1)[1]
        if look then
            states_look(s, look)
        else
            local n = math.max(1, math.min(20, room, math.floor(states_left)))
            local rows = call('ZRANGE', s.making, 0, n - 1)
            for _, id in ipairs(rows) do
                if states_left <= 0 then
                    break
                elseif id:sub(1, 1) == '+' then
                    states_later(s, id)
                else
                    states_host(s, id)
                end
            end
            if #rows < n and states_left > 0 then
                return true
            end
        end
        room = states_room(s)
    end
    return room <= 0 or call('EXISTS', s.making) == 0
end
