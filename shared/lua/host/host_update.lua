-- Changes a host; for a range also its children, which is work.  Contacts that
-- know a listing and lose the host by a change of its groups are notified that
-- it is no longer reported.  Contacts of its new groups are notified about the
-- listing.
--- key: acct  acct:<AC>
--- arg: host  SID
--- arg: named  "1" if name is given
--- arg: name
--- arg: profile  SID or ""
--- arg: groups...  SIDs (none: unchanged)
--- audit: host
--- reply: OK
--- reply: WORK id#  of the work
--- reply: HOST
--- reply: PROFILE
--- reply: GROUP
--- reply: GROUPS max#  of a host
--- reply: BUSY
--- include: host_of
--- include: unchanged
local set = {}
if ARG.named == '1' then
    set[HOST.name] = ARG.name
end
if ARG.profile ~= '' then
    if not owns('profiles', ARG.profile) then
        return {'PROFILE'}
    end
    set[HOST.profile] = ARG.profile
end
if ARGV[ARG.groups] then
    --- include: groups
    local groups, refused = groups_from(ARG.groups)
    if not groups then
        return refused
    end
    set[HOST.groups] = groups
end
if not next(set) then
    by = nil
end
if h[HOST.type] == 'ip_range' then
    --- include: work
    return work_accept('host_update', {ARG.host, set})
end
--- include: host_set
hosts_change()
local was, groups = h[HOST.groups], set[HOST.groups]
host_set(h, set)
refs_write()
save(k, h)
if groups and table.concat(groups) ~= table.concat(was) then
    --- include: look
    pcall(look_between, {is = groups, was = was}, '?' .. ARG.host)
end
return {'OK'}
