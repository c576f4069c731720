-- What the marks of a digest come to: by what each host is now, and by what its
-- contact was told of it.
--- include: base
--- include: of
--- include: notify
--- use: host contact
local function meet(one, other)
    for _, g in ipairs(one) do
        for _, o in ipairs(other) do
            if g == o then
                return true
            end
        end
    end
    return false
end
-- What is to be looked at, at most so much of it as may be at a time: {HT = its
-- name or ""}, with the addresses of ranges; which members of the digest that
-- is; and from where "open" is to be looked at, or nil.
local function looks_of(digest)
    local looks, members, cursor, n = {}, {}, nil, 0
    local rows = call('ZRANGE', digest, tostring(digest_look), '+inf',
        'BYSCORE', 'LIMIT', 0, digest_most)
    for _, member in ipairs(rows) do
        local from = string.match(member, '^%*(%d*)$')
        local id, name = string.match(member, '^%?(HT%x+)|?(.*)$')
        if from then
            cursor = (from == '' or cursor == '0') and '0' or from
        elseif n >= digest_most then
            break
        elseif id then
            looks[id] = name ~= '' and id .. '|' .. name or looks[id] or ''
            for _, kid in ipairs(call('ZRANGE', key('kids', ac, id), 0, -1)) do
                looks[kid] = looks[kid] or ''
                n = n + 1
            end
            n = n + 1
        end
        members[#members + 1] = member
    end
    return looks, members, cursor
end
-- Adds a part of "open"; the cursor of the next, or nil.
local function looks_more(looks, open, cursor)
    if not cursor then
        return nil
    end
    local r = call('HSCAN', open, cursor, 'COUNT', digest_most)
    for i = 1, #r[2], 2 do
        looks[r[2][i]] = looks[r[2][i]] or ''
    end
    return r[1] ~= '0' and r[1] or nil
end
-- What "open" has of a host: "<address>|<name>".
local function name_of(told)
    return string.match(told, '^%d+|(.*)$') or '|'
end
-- Is the host on a list since it was told?
local function is_news(h, told)
    local at = tonumber(string.match(told, '^%d+')) or 0
    for _, l in ipairs(h[HOST.details]) do
        if l[6] > at then
            return true
        end
    end
    return false
end
-- The state of a host, and its member of the batch; nil: nothing is told of it.
-- h: its record; theirs: is it the contact's? mark: 0, 1, 2 or nil; told: what
-- "open" has of it; name: of one that was deleted, or "".
local function state_of(id, h, theirs, mark, told, name)
    local listed = h and h[HOST.listed_count] > 0
    if theirs and listed then
        local news = mark and mark < 2 or not told or is_news(h, told)
        return news and 0 or nil, id
    end
    if theirs then
        return (told or mark == 1) and 1 or mark == 2 and 2 or nil, id
    end
    if told and h and not listed then
        return 1, id
    end
    if told and name == '' then
        name = id .. '|' .. (h and h[HOST.value] .. '|' .. h[HOST.name]
            or name_of(told))
    end
    return told and 3 or nil, name
end
-- What a host with changes that contacts are still to be told of (_notify.lua)
-- comes to is found when all of it is in the digest.
local function states_wait(hosts, looks, later, now)
    if call('EXISTS', key('telling', ac)) == 0 then
        return hosts
    end
    local ready = {}
    for _, e in ipairs(hosts) do
        local id, mark, at = unpack(e)
        local look = looks[id]
        if not notify_waits(id) then
            ready[#ready + 1] = e
        elseif mark then
            later[#later + 1] = tostring(mark * digest_state + at)
            later[#later + 1] = id
        end
        if look and ready[#ready] ~= e then
            later[#later + 1] = tostring(digest_look + now)
            later[#later + 1] = '?' .. (look ~= '' and look or id)
        end
    end
    return ready
end
-- All hosts that marks and looks are about, as {id, mark, time of the mark},
-- those with marks first, in their order; and the members they come from.
local function hosts_of(digest, looks)
    local hosts, members, marked = {}, {}, {}
    local rows = call('ZRANGE', digest, 0, '(' .. tostring(digest_look),
        'BYSCORE', 'LIMIT', 0, digest_most, 'WITHSCORES')
    for i = 1, #rows, 2 do
        local score = tonumber(rows[i + 1])
        hosts[#hosts + 1] = {rows[i], math.floor(score / digest_state),
            score % digest_state}
        members[#members + 1] = rows[i]
        marked[rows[i]] = true
    end
    for id in pairs(looks) do
        if string.find(id, '^HT') and not marked[id] then
            hosts[#hosts + 1] = {id}
        end
    end
    return hosts, members
end
-- The states, as {state, time, member, host}; and hosts that the contact knows
-- as listed, and hears of no ends.
local function states_of(c, hosts, looks, open, now)
    local states, silent = {}, {}
    for _, e in ipairs(hosts) do
        local id, h = e[1], load(key('r', ac, e[1]))
        if not h or h[HOST.type] ~= 'ip_range' then
            local theirs = h and meet(h[HOST.groups], c[CONTACT.groups])
            local state, member = state_of(id, h, theirs, e[2],
                call('HGET', open, id), looks[id] or '')
            if state and state % 2 == 1 and not digest_hears_ends(c) then
                silent[#silent + 1] = id
            elseif state then
                states[#states + 1] = {state, e[3] or now, member, id}
            end
        end
    end
    return states, silent
end
-- Where each host is a message of its own, an end that is not told ends
-- nothing: those that are too many for one time are for the next, as the marks
-- and looks of which they are the states.
local function states_put_off(states, most, later, now)
    local ends, listed = 0, 0
    for _, s in ipairs(states) do
        listed = listed + (s[1] == 0 and 1 or 0)
    end
    for _, s in ipairs(states) do
        ends = ends + s[1] % 2
        if s[1] % 2 == 1 and ends > most - listed then
            later[#later + 1] = tostring(s[1] * digest_state + now)
            later[#later + 1] = s[1] == 3 and '?' .. s[3] or s[4]
            s[1] = nil
        end
    end
end
-- Makes the batch of a contact's digest.  It writes when all is read: what
-- cannot be read leaves the digest as it is.
local function states_make(co, c, event, most, now)
    local digest, open = key('digest', ac, co), key('open', ac, co)
    local looks, looked, cursor = looks_of(digest)
    local next_cursor = looks_more(looks, open, cursor)
    local hosts, marked = hosts_of(digest, looks)
    local later = {}
    hosts = states_wait(hosts, looks, later, now)
    local states, silent = states_of(c, hosts, looks, open, now)
    if digest_per_host_of(c) then
        states_put_off(states, most, later, now)
    end
    local batch = {-1, event}
    for _, s in ipairs(states) do
        if s[1] then
            batch[#batch + 1] = tostring(s[1] * digest_state + s[2])
            batch[#batch + 1] = s[3]
        end
    end
    if next_cursor then
        later[#later + 1] = tostring(digest_look + now)
        later[#later + 1] = '*' .. next_cursor
    end
    in_parts('ZREM', digest, looked)
    in_parts('ZREM', digest, marked)
    in_parts('HDEL', open, silent)
    in_parts('ZADD', digest, later)
    if #batch > 2 then
        in_parts('ZADD', key('batch', ac, co), batch)
    end
end
