-- Has contacts looked at whose hosts, or whose own groups, have changed: what
-- that means is found when their digest is told (digest_claim.lua).  It costs
-- as much as there are contacts, however many hosts a range has.
--- include: alerts
--- include: digest
local function look_at(co, member)
    local now = now_ms()
    call('ZADD', key('digest', ac, co), 'NX', tostring(digest_look + now),
        member)
    call('ZADD', key('digests'), 'NX', tostring(now), ac .. ':' .. co)
end
-- The contacts of groups that hear of ends, as {CO = true}.
local function hearers(groups)
    local found = {}
    if #groups == 0 then
        return found
    end
    alerts_wanted('listed')             -- that there is the hash
    for _, row in ipairs(call('HMGET', key('alerts', ac), unpack(groups))) do
        for co, schedule in string.gmatch(row or '', '(%w+)=([%l_]+),') do
            if schedule ~= 'while_listed' then
                found[co] = true
            end
        end
    end
    return found
end
-- For the contacts that hear of some of these sets of groups, not of all.
local function look_between(sets, member)
    local n, in_sets = 0, {}
    if not next(sets, next(sets)) then
        return
    end
    for _, groups in pairs(sets) do
        n = n + 1
        for co in pairs(hearers(groups)) do
            in_sets[co] = (in_sets[co] or 0) + 1
        end
    end
    for co, in_n in pairs(in_sets) do
        if in_n < n then
            -- What is damaged of one contact is no other's.
            pcall(look_at, co, member)
        end
    end
end
