-- Listed hosts that contacts are not told of any more, for the host is deleted
-- or another's now: whoever heard that the listing began is told that there
-- will be no end of it.  The host may be gone by then, so its digest has
-- "<HT>|<address>|<name>", and nothing else of it; of a range's addresses that
-- are more than a digest tells, it has the number.  So it has a host whose
-- listing has ended and that is deleted before this was told.
-- A host that comes back within the window is as if it had never left: half a
-- millisecond more in the score of what was noted says that its listing waited
-- to be told.
-- What it costs grows with hosts and with contacts, not with one times the
-- other: where many contacts hear of it, each is told fewer hosts by name.
--- include: alerts
--- include: digest
--- use: host
local names_max = 50000                 -- of all contacts together
local unreported, unreported_by = {}, {}
-- A host that had these groups, and may be deleted.  A range itself is never
-- told of.
local function unreported_add(h, groups, gone)
    if h[HOST.type] == 'ip_range' then
        return
    end
    local set = table.concat(groups)
    local of = unreported_by[set]
    if not of then
        of = {groups = groups, all = {}, ids = {}, names = {}, gone = {}}
        unreported_by[set] = of
        unreported[#unreported + 1] = of
    end
    local id = h[HOST.id]
    local name = id .. '|' .. h[HOST.value] .. '|' .. h[HOST.name]
    if h[HOST.listed_count] ~= 0 then
        of.ids[#of.ids + 1] = id
        of.names[#of.names + 1] = name
    elseif gone then
        of.gone[id] = name
    end
    of.all[id] = h[HOST.listed_count] ~= 0
end
local hearers_in = {}
-- The contacts of groups that hear of ends, as {CO = true}.
local function hearers(groups)
    local ask, found = {}, {}
    for _, g in ipairs(groups) do
        if not hearers_in[g] then
            ask[#ask + 1] = g
        end
    end
    if #ask > 0 then
        alerts_wanted('listed')         -- that there is the hash
        local rows = call('HMGET', key('alerts', ac), unpack(ask))
        for i, g in ipairs(ask) do
            local of = {}
            hearers_in[g] = of
            for co, schedule in string.gmatch(rows[i] or '',
                '(%w+)=([%l_]+),')
            do
                if schedule ~= 'while_listed' then
                    of[#of + 1] = co
                end
            end
        end
    end
    for _, g in ipairs(groups) do
        for _, co in ipairs(hearers_in[g]) do
            found[co] = true
        end
    end
    return found
end
local function same_groups(one, other)
    local has = {}
    for _, g in ipairs(one) do
        has[g] = true
    end
    for _, g in ipairs(other) do
        if not has[g] then
            return false
        end
    end
    return #one == #other
end
-- Not all at once: the stack of a script has its bounds.
local function in_parts(command, k, of)
    for i = 1, #of, 500 do
        call(command, k, unpack(of, i, math.min(i + 499, #of)))
    end
end
-- Those of `listed` are back: SID => is it listed?
local function unreported_back(co, listed, rest, now)
    local k, names = key('digest', ac, co), {rest}
    local rows = call('ZRANGE', k, tostring(digest_unreported),
        '(' .. tostring(digest_rest), 'BYSCORE', 'WITHSCORES')
    for i = 1, #rows, 2 do
        local id = rows[i]:sub(1, 34)
        if listed[id] ~= nil then
            names[#names + 1] = rows[i]
            if listed[id] and tonumber(rows[i + 1]) % 1 ~= 0 then
                call('ZADD', k, 'NX', tostring(now), id)
            end
        end
    end
    in_parts('ZREM', k, names)
end
-- Takes what waits of listed hosts.  Their SIDs, if it is the listing.
local function unreported_waits(k, ids)
    local waits = {}
    for i = 1, #ids, 500 do
        local last = math.min(i + 499, #ids)
        for j, score in ipairs(call('ZMSCORE', k, unpack(ids, i, last))) do
            waits[ids[i + j - 1]] = score and tonumber(score) < digest_delisted
        end
    end
    in_parts('ZREM', k, ids)
    return waits
end
-- Takes the ends of deleted hosts, as far as the first `max` of all ends, and
-- adds the hosts by name.
local function unreported_ended(k, gone, max, new, at)
    local ids = {}
    for _, id in ipairs(call('ZRANGE', k, tostring(digest_delisted),
        '(' .. tostring(digest_clear), 'BYSCORE', 'LIMIT', 0, max))
    do
        if gone[id] then
            ids[#ids + 1] = id
            new[#new + 1] = tostring(at)
            new[#new + 1] = gone[id]
        end
    end
    in_parts('ZREM', k, ids)
end
-- At most `max` by name, the others as a number.
local function unreported_tell(co, all, max, rest, now)
    local k, at = key('digest', ac, co), digest_unreported + now
    local there = call('EXISTS', k) == 1
    local new, n = {}, 0
    for _, of in ipairs(all) do
        local waits = there and unreported_waits(k, of.ids) or {}
        for i = 1, math.min(max - #new / 2, #of.names) do
            new[#new + 1] = string.format('%.1f',
                waits[of.ids[i]] and at + 0.5 or at)
            new[#new + 1] = of.names[i]
        end
        n = n + #of.names
        if there and next(of.gone) then
            unreported_ended(k, of.gone, max, new, at)
        end
    end
    if #new == 0 then
        return
    end
    if n > max then
        new[#new + 1] = tostring(digest_rest + n - max)
        new[#new + 1] = rest
    end
    in_parts('ZADD', k, new)
    call('ZADD', key('digests'), 'NX', tostring(now), ac .. ':' .. co)
end
-- Notes those that were added, of the host or range `sid`, for the contacts of
-- their groups, but for those of `still`; those take back what was noted of
-- them before.  What is damaged of one contact is no other's.
local function unreported_write(sid, still)
    local back, told, n, rest = {}, {}, 0, '+' .. sid
    local keep
    for _, of in ipairs(unreported) do
        if not same_groups(of.groups, still) then
            keep = keep or hearers(still)
            for id, listed in pairs(of.all) do
                back[id] = listed
            end
            for co in pairs(hearers(of.groups)) do
                if not keep[co] and (#of.names > 0 or next(of.gone)) then
                    if not told[co] then
                        told[co] = {}
                        n = n + 1
                    end
                    table.insert(told[co], of)
                end
            end
        end
    end
    local now = now_ms()
    for co in pairs(keep or {}) do
        pcall(unreported_back, co, back, rest, now)
    end
    local max = math.min(digest_told, math.floor(names_max / math.max(n, 1)))
    for co, all in pairs(told) do
        pcall(unreported_tell, co, all, max, rest, now)
    end
end
