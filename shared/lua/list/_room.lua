-- How many system lists a partition may have, disabled ones too; killed lists
-- do not count.  Every host may be checked at all of them, and one script makes
-- what is derived from them.
--- include: override
local lists_most = 200
-- Checks whether there is room for the lists in `new` once those in `gone` are
-- killed; both are sets of SIDs.  Returns nil; or FULL, the number of lists
-- there would be, and the limit.  A partition with more lists from the time
-- before the limit keeps them: they may be updated and killed, but none may be
-- added.
local function lists_full(new, gone)
    local n, added, there, ask = 0, 0, {}, {}
    for _, sid in ipairs(call('ZRANGE', key('lists'), 0, -1)) do
        there[sid] = true
        n = n + (gone[sid] and 0 or 1)
    end
    for sid in pairs(new) do
        ask[#ask + 1] = not there[sid] and sid or nil
    end
    for _, status in ipairs(ask[1] and call('HMGET', override, unpack(ask))
        or {})
    do
        added = added + (status == 'killed' and 0 or 1)
    end
    n = n + added
    return n > lists_most and added > 0 and {'FULL', n, lists_most} or nil
end
