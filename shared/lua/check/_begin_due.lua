-- Steps of check_begin for a host that is due: `times`, how often its check was
-- started, this time included, and its flight from now on, `taken`.
--- takes: a by h hk ht job mark now pp times
--- sets: lease taken times
local lease = job:sub(140)
-- Started after the end of its lease it would be released at once, and count as
-- an attempt; it is due again by now.
if not lease_holds(ht, lease:match('^%d+'), now) then
    return gone()
end
if not by and h[HOST.status] ~= 'active' then
    due_never(ht)
    return gone()
end
if not by and (a[ACCOUNT.lapsed] or 0) > 0 then
    --- include: stopped
    --- include: unchanged
    if lapse_stops(a, ht) then
        hosts_change()
        host_stop(hk, h, a[ACCOUNT.lapsed])
        return gone()
    end
end
times = by and tonumber(by:sub(68, 68)) or 1
if by and by:sub(70) ~= lease then
    if times == 2 and ARG.leave == '0' then
        return {'ALONE'}
    elseif times == 2 and ARG.leave ~= '1' then
        due_at(ht, now + 1000)
        return gone()
    end
    times = math.min(times + 1, 9)
end
taken = pp .. mark .. times .. ':' .. lease
