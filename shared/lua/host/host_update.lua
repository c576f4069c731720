-- Changes a host; of a range, its children too, which is work.  Contacts that
-- were told of a listing, and are of none of its groups any more, hear that no
-- more is told; those of its new groups hear of it.
-- KEYS[1] acct:<AC>
-- ARGV    1 host SID  2 "1" if name is given  3 name  4 profile SID or ""
--         5... group SIDs (none: unchanged)
-- Result  OK | WORK, id of the work | HOST | PROFILE
--         | GROUP | GROUPS, max groups of a host | BUSY
--- include: hosts
--- include: unchanged
--- include: host_change
--- include: look
local k, h = host_of(ARGV[1])
if not h then
    return {'HOST'}
end
if ARGV[4] ~= '' and not owns('profiles', ARGV[4]) then
    return {'PROFILE'}
end
local groups, refused = groups_from(5)
if not groups then
    return refused
end
if h[HOST.type] == 'ip_range' then
    if work_busy() then
        return {'BUSY'}
    end
    return {'WORK', work_add('host_update', {ARGV[1], ARGV[2], ARGV[3],
        ARGV[4], groups})}
end
hosts_change()
local was = h[HOST.groups]
host_changed(k, h, ARGV[2] == '1' and ARGV[3] or nil, ARGV[4], groups)
refs_write()
if #groups > 0 and table.concat(groups) ~= table.concat(was) then
    pcall(look_between, {is = groups, was = was}, '?' .. ARGV[1])
end
return {'OK'}
