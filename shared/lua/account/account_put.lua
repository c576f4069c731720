-- Makes an account with its default profile and default contact group.
-- KEYS[1] acct:<AC>
-- ARGV    1 name  2 time zone  3 plan  4 paid  5 max hosts  6 max contacts
--         7 interval (s)  8 profile SID  9 group SID  10 max checks a day
--         11 shortest interval (s)
-- Result  OK | EXISTS
--- include: account_save
--- use: account profile group
if call('EXISTS', KEYS[1]) == 1 then
    return {'EXISTS'}
end
local now = now_ms()
local a = {1, ac, ARGV[1], 'active', ARGV[2], ARGV[3], tonumber(ARGV[4]),
    tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8], ARGV[9],
    now, tonumber(ARGV[10]), tonumber(ARGV[11])}
call('SET', key('checked', ac), '0')
account_save(a)
save(key('r', ac, ARGV[8]), {1, ARGV[8], 'Default', 'active', 1, {}, now})
save(key('r', ac, ARGV[9]), {1, ARGV[9], 'Default', now})
local seq = call('INCR', key('seq', ac))
call('ZADD', key('profiles', ac), seq, ARGV[8])
call('ZADD', key('groups', ac), seq, ARGV[9])
call('ZADD', key('accounts'), now, ac)
return {'OK'}
