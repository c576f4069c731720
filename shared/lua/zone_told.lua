-- A daemon has found out what others, and itself once it begins anew, must know
-- of a list's zone.
-- KEYS[1] zone:<zone>
-- ARGV    1 the resolver through which it has listed what nobody lists  2 the
--         TTL of that, s; 0: nothing of that kind  3 the family of which it has
--         its test entry, where it need not have one; "": nothing
-- Result  OK
--- include: zone
local field, ttl = 'lied ' .. ARGV[1], num(ARGV[2])
if ttl > num(redis.call('HGET', KEYS[1], field)) then
    redis.call('HSET', KEYS[1], field, digits(ttl))
end
if ARGV[3] ~= '' then
    redis.call('HSET', KEYS[1], 'entry ' .. ARGV[3], '1')
end
redis.call('PEXPIRE', KEYS[1], digits(KEEP))
return {'OK'}
