-- What daemons have found of a list's zone: the hash zone:<zone> (KEYS[1]), as
-- told in shared/rbl_keys.h.
--- include: list
local DAY, KEEP = 86400000, 90 * 86400000
-- How long the lies of a list may be kept that was seen to tell some, and then
-- was seen in order: until `till`, ms.
local function lies_till(resolver)
    local h = redis.call('HMGET', KEYS[1], 'lied ' .. resolver,
        'till ' .. resolver)
    local ttl, till = num(h[1]), num(h[2])
    till = till <= now + 2 * DAY and till or now + DAY
    if ttl > 0 then
        till = math.max(till, now + math.min(ttl * 1000, DAY) + 2000)
        redis.call('HDEL', KEYS[1], 'lied ' .. resolver)
        redis.call('HSET', KEYS[1], 'till ' .. resolver, digits(till))
        redis.call('PEXPIRE', KEYS[1], digits(KEEP))
    end
    return till
end
