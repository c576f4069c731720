-- Work on all hosts of an account whose plan has expired, or was paid again
-- (_lapse.lua).  It is over as soon as the opposite has happened.
--- include: work
--- include: stopped
--- include: account_save
--- include: work_hosts
local work_lapse_page = 17
-- since when (ms).  Those that are kept may wait for a check since an earlier
-- lapse.
local function work_host_stop(item)
    local a, since = load(KEYS[1]), item[WORK.args][1]
    if not a or a[ACCOUNT.lapsed] ~= since then
        return true, 10
    end
    local sids, more = work_page(key('hosts', ac), item, work_lapse_page)
    local now, ranges = now_ms(), {}
    for _, sid in ipairs(sids) do
        local h, k = work_host(sid)
        if h and not lapse_stops(a, sid) then
            host_go(k, h, a[ACCOUNT.interval], now)
        elseif h then
            host_stop(k, h, since)
            ranges[h[HOST.parent]] = true
        end
    end
    -- The last kept host may be an address of a range.
    ranges[''] = nil
    for range in pairs(a[ACCOUNT.kept] > 0 and ranges or {}) do
        local h, k = work_host(range)
        if h then
            host_stop(k, h, since)
        end
    end
    if not more then
        a[ACCOUNT.settled] = 1
        account_save(a)
    end
    return not more, 20 + 20 * #sids
end
local function work_host_go(item)
    local a = load(KEYS[1])
    if not a or (a[ACCOUNT.lapsed] or 0) > 0 then
        return true, 10
    end
    local sids, more = work_page(key('hosts', ac), item, work_lapse_page)
    local now = now_ms()
    for _, sid in ipairs(sids) do
        local h, k = work_host(sid)
        if h then
            host_go(k, h, a[ACCOUNT.interval], now)
        end
    end
    return not more, 20 + 20 * #sids
end
