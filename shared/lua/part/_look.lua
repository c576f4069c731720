-- Has contacts looked at whose hosts, or whose own groups, have changed: what
-- that means is found when their digest is told (digest_claim.lua).  It costs
-- as much as there are contacts, however many hosts a range has.
--- include: notify
local function look_at(co, member)
    local turns, now = {}, now_ms()
    notify_look(turns, co, {member}, now)
    notify_turns(turns)
end
local function look_later(of, sets, member)
    notify_note(of, function(op)
        for _, groups in pairs(sets) do
            notify_set(op, groups)
        end
        for _, there in ipairs(op[4]) do
            if there == member then
                return
            end
        end
        op[4][#op[4] + 1] = member
    end)
end
-- For the contacts that hear of some of these sets of groups, not of all.
local function look_between(sets, member)
    if not next(sets, next(sets)) then
        return
    end
    local of = string.match(member, '^%?(HT%x+)') or '*'
    local all, in_sets, n_sets, groups = {}, {}, 0, 0
    local room = not notify_waits(of) and notify_at_once or nil
    for _, set in pairs(sets) do
        local of_set
        n_sets, groups = n_sets + 1, groups + #set
        if room and groups <= notify_groups then
            of_set, room = notify_some(set, hears_start_and_end,
                hears_while_listed, room)
        else
            room = nil
        end
        for _, co in ipairs(of_set or {}) do
            all[#all + 1] = not in_sets[co] and co or nil
            in_sets[co] = (in_sets[co] or 0) + 1
        end
    end
    if not room then
        return look_later(of, sets, member)
    end
    local turns, now = {}, now_ms()
    for _, co in ipairs(all) do
        if in_sets[co] < n_sets then
            notify_look(turns, co, {member}, now)
        end
    end
    notify_turns(turns)
end
