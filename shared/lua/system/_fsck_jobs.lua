-- Manual checks that wait, or that a daemon has claimed.
--- include: fsck
--- include: due
local leased
local function has_lease(pp)
    if not leased then
        leased = {}
        for _, handle in ipairs(call('ZRANGE', key('leases'), 0, -1)) do
            leased[handle:sub(36, 101)] = true
        end
    end
    return leased[pp]
end
local function has_job(pp, ht)
    return call('LPOS', key('manual', ac), pp .. ':' .. ht) or has_lease(pp)
end
local function queue(pp, ht)
    --- include: manual
end
-- Makes an active host due whose check is gone, unless it has another check.
local function due_again(ht)
    local h = owns('hosts', ht) and read_sid(ht)
    if h and call('HEXISTS', key('flight'), ac .. ':' .. ht) == 0
        and h[HOST.status] == 'active' and h[HOST.type] ~= 'ip_range'
    then
        due_at(ht, now_ms())
    end
end
