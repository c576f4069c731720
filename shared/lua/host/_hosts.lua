-- A host of the account: its key and its record; nil if there is none, or if
-- it is a range whose deletion was accepted.
--- include: work
--- use: host
local function host_of(sid)
    local k = key('r', ac, sid)
    local h = owns('hosts', sid) and load(k)
    if not h or h[HOST.type] == 'ip_range' and work_targets('host_delete')[sid]
    then
        return nil
    end
    return k, h
end
