-- References to profiles and groups, for scripts that mend them: the counters
-- change together with what they count.
--- include: fsck
--- include: refs
--- use: account
local account
local function default_of(field)
    account = account or load(key('acct', ac))
    return account[field]
end
-- Counts groups that are used, or no longer; one that is no text never was.
local function refs_of_groups(groups, suffix, n)
    for _, g in ipairs(groups) do
        if type(g) == 'string' then
            refs_add(g .. suffix, n)
        end
    end
end
-- Tells of groups that do not exist, or of none at all, and mends them by
-- `put`; `suffix` is that of the counters.
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
        return
    end
    fault('group', sid, #lost == 0 and 'has no contact group'
        or type(lost[1]) ~= 'string' and 'has a contact group that is no text'
        or 'has a contact group that does not exist: ' .. lost[1],
        function()
            refs_of_groups(lost, suffix, -1)
            if #left == 0 then
                left[1] = default_of(ACCOUNT.group)
                refs_add(left[1] .. suffix, 1)
            end
            put(left)
        end)
end
