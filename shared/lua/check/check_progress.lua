-- Counters of a check that runs; of one whose record is gone, nothing.
-- KEYS[1] acct:<AC>
-- ARGV    1 check SID  2 lists answered  3 listed  4 unknown
-- Result  OK | GONE
--- include: account
local ck = key('check', ac, ARGV[1])
if call('HGET', ck, 'status') ~= 'running' then
    return {'GONE'}
end
call('HSET', ck, 'checked', ARGV[2], 'listed', ARGV[3], 'unknown',
    ARGV[4])
return {'OK'}
