-- What has been found of a list's zone by whatever daemon.  If it told lies, a
-- resolver may keep them for their TTL from when it was first seen in order
-- through that one; if it has not been since, from now on.
-- KEYS[1] zone:<zone>
-- ARGV    1 the family  2 the resolver  3 ms since who asks has seen it in
--         order through that
-- Result  OK, ms for which the resolver may still keep lies of it, 1 if it was
--         seen to have its test entry of that family (0: not), labels of its
--         SOA's owner (0: not known)
--- include: zone
local family = ARGV[1]
local ttl, seen = lied(family)
local left = 0
if ttl > 0 then
    local field = 'good ' .. family .. ' ' .. ARGV[2]
    local good = math.min(num(get(field)), now)
    if good <= seen then
        good = now - num(ARGV[3])
        if good > seen then
            set(field, digits(good))
        else
            good = now
        end
    end
    left = good + ttl + 2000 - now
end
return {'OK', math.max(left, 0), lately('entry ' .. family),
    lately('soa ' .. family)}
