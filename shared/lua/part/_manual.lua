-- Queues the manual check pp of the host ht ('': a one-off).  The daemons get a
-- message, unless they know that the account waits.  If it is lost or refused,
-- they find the check a little later.
call('RPUSH', key('manual', ac), pp .. ':' .. ht)
if call('ZADD', key('manual'), 'NX', now_ms(), ac) == 1 then
    redis.pcall('PUBLISH', base:match('[^{]*') .. 'news', ac)
end
