-- Evidence about the zone of a list: the hash zone:<zone> (KEYS[1]);
-- shared/record/rbl_keys.h has its fields.
--- include: list
local WEEK = 7 * 86400000
local function get(field)
    return call('HGET', KEY.zone, field)
end
-- The largest TTL (ms) of wildcard responses of a family, and the time of the
-- last report.
local function lied(family)
    local ttl, seen = string.match(get('lied ' .. family) or '',
        '^(%d+) (%d+)$')
    return math.min(num(ttl) * 1000, WEEK), math.min(num(seen), now)
end
-- A number that was reported less than 90 days ago, or 0.
local KEEP = 90 * 86400000
local function lately(field)
    local value, told = string.match(get(field) or '', '^(%d+) (%d+)$')
    return num(told) > now - KEEP and num(value) or 0
end
local function set(field, value)
    call('HSET', KEY.zone, field, value)
end
