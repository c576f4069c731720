-- Changes the profile and the groups of a host.  "" and none leave them.
--- include: refs
--- use: host
local function host_uses(h, rp, groups)
    if rp ~= '' and h[HOST.profile] ~= rp then
        refs_later(h[HOST.profile], -1)
        refs_later(rp, 1)
        h[HOST.profile] = rp
    end
    if #groups > 0 then
        groups_count('h', h[HOST.groups], -1)
        groups_count('h', groups, 1)
        h[HOST.groups] = groups
    end
end
