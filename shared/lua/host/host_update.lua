-- Changes a host; of a range, its children too, which is work.  Contacts that
-- know of a listing and have left its groups are notified that it is no longer
-- reported; those of its new groups are notified of it.
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
--- include: host_change
if ARG.profile ~= '' and not owns('profiles', ARG.profile) then
    return {'PROFILE'}
end
local groups, refused = {}, nil
if ARGV[ARG.groups] then
    --- include: groups
    groups, refused = groups_from(ARG.groups)
    if not groups then
        return refused
    end
end
local uses = ARG.profile ~= '' or groups[1]
if ARG.named ~= '1' and not uses then
    by = nil
end
if h[HOST.type] == 'ip_range' then
    --- include: work
    return work_accept('host_update', {ARG.host, ARG.named, ARG.name,
        ARG.profile, groups})
end
hosts_change()
if ARG.named == '1' then
    host_named(h, ARG.name)
end
local was = h[HOST.groups]
if uses then
    --- include: host_uses
    host_uses(h, ARG.profile, groups)
    refs_write()
end
save(k, h)
if groups[1] and table.concat(groups) ~= table.concat(was) then
    --- include: look
    pcall(look_between, {is = groups, was = was}, '?' .. ARG.host)
end
return {'OK'}
