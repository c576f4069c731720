-- Ends of a job and of a check, shared by the scripts that end one.
local function ack(stream, id)
    if id ~= '' then
        redis.call('XACK', key(stream), 'checkd', id)
        redis.call('XDEL', key(stream), id)
    end
end
local function check_over(pp, ttl, ...)
    local ck = key('check', ac, pp)
    redis.call('HSET', ck, ...)
    redis.call('PEXPIRE', ck, ttl)
end
