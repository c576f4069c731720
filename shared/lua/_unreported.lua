-- Listed hosts that contacts are not told of any more, for the host is deleted
-- or another's now: whoever heard that the listing began is told that there
-- will be no end of it.  The host may be gone by then, so its digest has
-- "<HT>|<address>|<name>", and nothing else of it; of a range's addresses that
-- are more than a digest tells, it has the number.
-- What it costs grows with hosts and with contacts, not with one times the
-- other: where many contacts hear of it, each is told fewer hosts by name.
--- include: alerts
--- include: digest
--- use: host
local names_max = 50000                 -- of all contacts together
local unreported, unreported_by = {}, {}
-- A host that had these groups.  A range itself is never told of.
local function unreported_add(h, groups)
    if h[HOST.listed_count] == 0 or h[HOST.type] == 'ip_range' then
        return
    end
    local id = table.concat(groups)
    local of = unreported_by[id]
    if not of then
        of = {groups = groups, ids = {}, names = {}}
        unreported_by[id] = of
        unreported[#unreported + 1] = of
    end
    of.ids[#of.ids + 1] = h[HOST.id]
    of.names[#of.names + 1] = h[HOST.id] .. '|' .. h[HOST.value] .. '|'
        .. h[HOST.name]
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
local function unreported_back(co, names)
    local k = key('digest', ac, co)
    if call('EXISTS', k) == 1 then
        in_parts('ZREM', k, names)
    end
end
-- At most `max` by name, the others as a number.
local function unreported_tell(co, all, max, rest, now)
    local k, at = key('digest', ac, co), tostring(digest_unreported + now)
    local there = call('EXISTS', k) == 1
    local new, n = {}, 0
    for _, of in ipairs(all) do
        if there then
            in_parts('ZREM', k, of.ids)
        end
        for i = 1, math.min(max - #new / 2, #of.names) do
            new[#new + 1] = at
            new[#new + 1] = of.names[i]
        end
        n = n + #of.names
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
            for _, name in ipairs(of.names) do
                back[#back + 1] = name
            end
            for co in pairs(hearers(of.groups)) do
                if not keep[co] then
                    if not told[co] then
                        told[co] = {}
                        n = n + 1
                    end
                    table.insert(told[co], of)
                end
            end
        end
    end
    if #back > 0 then
        back[#back + 1] = rest
        for co in pairs(keep) do
            pcall(unreported_back, co, back)
        end
    end
    local now = now_ms()
    local max = math.min(digest_told, math.floor(names_max / math.max(n, 1)))
    for co, all in pairs(told) do
        pcall(unreported_tell, co, all, max, rest, now)
    end
end
