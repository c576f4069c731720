-- How many system lists a partition may have, disabled ones too; a killed one
-- is none.  Every host may be checked at all of them, and what is derived from
-- them is made in one script.
--- include: override
local lists_most = 200
-- Is there room for all that `new` names, once what `gone` names is killed?
-- Both are sets of SIDs.  nil; or FULL, how many there would be, and the limit.
local function lists_full(new, gone)
    local n, there, ask = 0, {}, {}
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
        n = n + (status == 'killed' and 0 or 1)
    end
    return n > lists_most and {'FULL', n, lists_most} or nil
end
