-- Puts a host whose check has ended into the digests of the contacts that want
-- to hear of it.  every_check: each check; while_listed: each that finds it
-- listed; start_and_end: it got onto a list (started), or is on none any more
-- (ended).
--- include: alerts
--- include: digest
local function tell(ht, groups, listed, started, ended, now)
    if not alerts_wanted(listed and 'listed' or 'clear')
        and not started and not ended or #groups == 0
    then
        return
    end
    local wanted = {every_check = true, while_listed = listed,
        while_open = listed or ended, start_and_end = started or ended}
    local clear = not listed and not ended
    local at = tostring(now + (ended and digest_delisted
        or clear and digest_clear or 0))
    local told, turns = {}, {}
    for _, row in ipairs(call('HMGET', key('alerts', ac), unpack(groups))) do
        for co, schedule in string.gmatch(row or '', '(%w+)=([%l_]+),') do
            if wanted[schedule] and not told[co] then
                told[co] = true
                local k = key('digest', ac, co)
                local new = clear and call('ZADD', k, 'LT', at, ht)
                    or not clear and call('ZADD', k, at, ht)
                if new == 1 then
                    turns[#turns + 1] = tostring(now)
                    turns[#turns + 1] = ac .. ':' .. co
                end
            end
        end
    end
    in_parts('ZADD', key('digests'), turns, 'NX')
end
