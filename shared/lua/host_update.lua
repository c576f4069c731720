-- Changes a host; of a range, its children too.  Contacts that were told of a
-- listing, and are of none of its groups any more, hear that no more is told;
-- those of its new groups hear of it.
-- KEYS[1] acct:<AC>
-- ARGV    1 host SID  2 "1" if name is given  3 name  4 profile SID or ""
--         5... group SIDs (none: unchanged)
-- Result  OK | HOST | PROFILE | GROUP | GROUPS, max groups of a host
--- include: account
--- include: hosts
--- include: unchanged
--- include: groups
--- include: look
local hosts = hosts_with_kids(ARGV[1])
if not hosts then
    return {'HOST'}
end
if ARGV[4] ~= '' and not owns('profiles', ARGV[4]) then
    return {'PROFILE'}
end
local groups, refused = groups_from(5)
if not groups then
    return refused
end
hosts_change()
local sets = {[table.concat(groups)] = groups}
for _, e in ipairs(hosts) do
    local h = e[2]
    if ARGV[2] == '1' then
        h[HOST.name] = ARGV[3]
        if e ~= hosts[1] then
            h[HOST.name] = ARGV[3] .. ' ' .. h[HOST.value]
        end
    end
    if ARGV[4] ~= '' and h[HOST.profile] ~= ARGV[4] then
        refs_later(h[HOST.profile], -1)
        refs_later(ARGV[4], 1)
        h[HOST.profile] = ARGV[4]
    end
    if #groups > 0 then
        groups_count('h', h[HOST.groups], -1)
        groups_count('h', groups, 1)
        sets[table.concat(h[HOST.groups])] = h[HOST.groups]
        h[HOST.groups] = groups
    end
    save(e[1], h)
end
refs_write()
pcall(look_between, sets, '?' .. ARGV[1])
-- Its addresses may be gone by then; those that were told are known.
if hosts[1][2][HOST.type] == 'ip_range' then
    pcall(look_between, sets, '*')
end
return {'OK'}
