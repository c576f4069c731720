-- A host of the account: its key, its record, and its place in "hosts"; nil if
-- there is none, or if it is a range whose deletion was accepted.
--- include: account
--- use: host work
local function host_of(sid)
    local k = key('r', ac, sid)
    local order = owns('hosts', sid)
    local h = order and load(k)
    if h and h[HOST.type] == 'ip_range' then
        --- include: work
        h = not work_targets('host_delete')[sid] and h
    end
    if h then
        return k, h, order
    end
end
