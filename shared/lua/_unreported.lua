-- Listed hosts that contacts are not told of any more, for the host is deleted
-- or another's now: whoever heard that the listing began is told that there
-- will be no end of it.  The host may be gone by then, so its digest has
-- "<HT>|<address>|<name>", and nothing else of it.
--- include: alerts
--- include: digest
--- use: host
local unreported, contacts_of = {}, {}
-- The contacts of groups that hear of ends, as {CO = true}.
local function hearers(groups)
    local id = table.concat(groups)
    local found = contacts_of[id]
    if not found then
        found = {}
        contacts_of[id] = found
        alerts_wanted('listed')         -- that there is the hash
        local rows = #groups > 0
            and call('HMGET', key('alerts', ac), unpack(groups)) or {}
        for _, row in ipairs(rows) do
            for co, schedule in string.gmatch(row or '', '(%w+)=([%l_]+),') do
                if schedule ~= 'while_listed' then
                    found[co] = true
                end
            end
        end
    end
    return found
end
local function unreported_member(h)
    return h[HOST.id] .. '|' .. h[HOST.value] .. '|' .. h[HOST.name]
end
-- Notes it for the contacts of `groups`, but for those of `still`; those take
-- back what was noted of it before.  A range itself is never told of.
local function unreported_add(h, groups, still)
    if h[HOST.listed_count] == 0 or h[HOST.type] == 'ip_range' then
        return
    end
    local keep, member = hearers(still), unreported_member(h)
    for co in pairs(keep) do
        call('ZREM', key('digest', ac, co), member)
    end
    for co in pairs(hearers(groups)) do
        if not keep[co] then
            local of = unreported[co] or {}
            unreported[co] = of
            of[#of + 1] = {h[HOST.id], member}
        end
    end
end
local function unreported_write()
    local now = now_ms()
    local at = tostring(digest_unreported + now)
    for co, of in pairs(unreported) do
        local k, i = key('digest', ac, co), 1
        while i <= #of do
            local out, new = {}, {}
            for j = i, math.min(i + 99, #of) do
                out[#out + 1] = of[j][1]
                new[#new + 1] = at
                new[#new + 1] = of[j][2]
            end
            call('ZREM', k, unpack(out))
            call('ZADD', k, unpack(new))
            i = i + 100
        end
        call('ZADD', key('digests'), 'NX', tostring(now), ac .. ':' .. co)
    end
end
