-- Changes a host; of a range, its children too.
-- KEYS[1] acct:<AC>
-- ARGV    1 host SID  2 "1" if name is given  3 name  4 profile SID or ""
--         5... group SIDs (none: unchanged)
-- Result  OK | HOST | PROFILE | GROUP
--- include: account
--- include: hosts
--- include: refs
local hosts = hosts_with_kids(ARGV[1])
if not hosts then
    return {'HOST'}
end
if ARGV[4] ~= '' and not owns('profiles', ARGV[4]) then
    return {'PROFILE'}
end
local groups, seen = {}, {}
for i = 5, #ARGV do
    if not owns('groups', ARGV[i]) then
        return {'GROUP'}
    end
    if not seen[ARGV[i]] then
        seen[ARGV[i]] = true
        groups[#groups + 1] = ARGV[i]
    end
end
for _, e in ipairs(hosts) do
    local h = e[2]
    if ARGV[2] == '1' then
        h[HOST.name] = ARGV[3]
        if e ~= hosts[1] then
            h[HOST.name] = ARGV[3] .. ' ' .. h[HOST.value]
        end
    end
    if ARGV[4] ~= '' and h[HOST.profile] ~= ARGV[4] then
        refs_add(h[HOST.profile], -1)
        refs_add(ARGV[4], 1)
        h[HOST.profile] = ARGV[4]
    end
    if #groups > 0 then
        for _, g in ipairs(h[HOST.groups]) do
            refs_add(g .. ':h', -1)
        end
        for _, g in ipairs(groups) do
            refs_add(g .. ':h', 1)
        end
        h[HOST.groups] = groups
    end
    save(e[1], h)
end
return {'OK'}
