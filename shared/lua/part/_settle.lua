-- What only a daemon may write for nginx: the sorted set "settle" has the
-- accounts with such things, by the time from which a daemon may do them (ms).
--- include: account
local function settle_at(time)
    call('ZADD', key('settle'), 'LT', tostring(time), ac)
end
