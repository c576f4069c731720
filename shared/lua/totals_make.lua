-- Makes an account's totals, out of its indexes.
-- KEYS[1] acct:<AC>
-- Result  OK | ACCOUNT
--- include: account
--- include: totals
if call('EXISTS', KEYS[1]) == 0 then
    return {'ACCOUNT'}
end
local stamp = totals_stamp()
save(key('totals', ac), {1, stamp, call('ZCARD', key('hosts', ac)),
    stamp, call('ZCARD', key('listed', ac)), stamp})
return {'OK'}
