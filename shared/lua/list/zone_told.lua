-- A daemon has found out what others, and itself once it begins anew, must know
-- of a list's zone.
-- KEYS[1] zone:<zone>
-- ARGV    1 the family  2 the TTL (s) with which it has listed what nobody
--         lists; 0: nothing of that kind  3 1: it has its test entry, where it
--         need not have one; 0: nothing  4 the labels of its SOA's owner, where
--         it has no test entry; 0: nothing
-- Result  OK
--- include: zone
local family, ttl = ARGV[1], num(ARGV[2])
if ttl > 0 then
    local most = lied(family)
    set('lied ' .. family, digits(math.max(ttl, most / 1000)) .. ' '
        .. digits(now))
end
if ARGV[3] == '1' then
    set('entry ' .. family, '1 ' .. digits(now))
end
local soa = num(ARGV[4])
if soa > 0 and soa >= lately('soa ' .. family) then
    set('soa ' .. family, digits(soa) .. ' ' .. digits(now))
end
redis.call('PEXPIRE', KEYS[1], digits(KEEP))
return {'OK'}
