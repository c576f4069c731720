-- What has been found of a list's zone by whatever daemon.  Who asks has seen
-- the list in order: if it told lies before, those may be kept from now on for
-- as long as their TTL.
-- KEYS[1] zone:<zone>
-- ARGV    1 the resolver  2 the family
-- Result  OK, ms for which the resolver may still keep lies of it, 1 if it has
--         been seen to have its test entry of that family (0: not)
--- include: zone
local left = lies_till(ARGV[1]) - now
local entry = redis.call('HGET', KEYS[1], 'entry ' .. ARGV[2])
return {'OK', math.max(left, 0), entry and 1 or 0}
