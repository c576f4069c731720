-- References to profiles and groups, for scripts that mend them: the counters
-- change together with what they count.
--- include: fsck
--- include: refs
-- The default one, which was looked at before.
local chosen
local function default_of(field)
    chosen = chosen or load(key('chosen', ac))
    return chosen[field]
end
-- One that is no text names no group.
local function groups_named(groups)
    local named = {}
    for _, g in ipairs(groups) do
        named[#named + 1] = type(g) == 'string' and g or nil
    end
    return named
end
-- Counts groups that are used, or no longer.
local function refs_of_groups(groups, suffix, n)
    local named = groups_named(groups)
    for _, g in ipairs(named) do
        refs_add(g .. suffix, n)
    end
    if suffix == ':c' and named[1] then
        refs_add('c', n * #named)
    end
end
-- Reports groups that do not exist, and a record without any, and repairs them
-- by `put`; `suffix` is that of the counters.  true: there was no fault.
local function look_at_groups(sid, groups, suffix, put)
    local left, lost, seen = {}, {}, {}
    for _, g in ipairs(groups) do
        if type(g) ~= 'string' or not owns('groups', g) or seen[g] then
            lost[#lost + 1] = g
        else
            seen[g] = true
            left[#left + 1] = g
        end
    end
    if #lost == 0 and #left > 0 then
        return true
    end
    fault('group', sid, #lost == 0 and 'has no contact group'
        or type(lost[1]) ~= 'string' and 'has a contact group that is no text'
        or 'has a contact group that does not exist: ' .. lost[1],
        function()
            refs_of_groups(lost, suffix, -1)
            if #left == 0 then
                left[1] = default_of(CHOSEN.group)
                refs_of_groups(left, suffix, 1)
            end
            put(left)
        end)
end
