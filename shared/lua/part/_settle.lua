-- Changes that only a daemon may make for nginx: the sorted set "settle" has
-- the accounts with such changes, by the time from which a daemon may make them
-- (ms).
--- include: account
-- Returns the error if it fails: a script that has made its change goes on.
local function settle_at(time)
    local r = redis.pcall('ZADD', key('settle'), 'LT', tostring(time), ac)
    return type(r) == 'table' and r.err and r or nil
end
