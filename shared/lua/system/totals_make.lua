-- Makes an account's totals from its indexes.  If the store takes no writes
-- they are only returned.
--- key: acct  acct:<AC>
--- reply: OK totals  packed
--- reply: ACCOUNT
--- include: exists
--- include: totals
local stamp = totals_stamp()
local raw = cmsgpack.pack({1, stamp, call('ZCARD', key('hosts', ac)),
    stamp, call('ZCARD', key('listed', ac)), stamp})
redis.pcall('SET', key('totals', ac), raw)
return {'OK', raw}
