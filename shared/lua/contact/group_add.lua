-- Adds a contact group.
-- KEYS[1] acct:<AC>
-- ARGV    1 group SID  2 name  3 "1": it becomes the default
-- Result  OK, packed record | LIMIT, max groups | ACCOUNT
--- include: account_save
--- use: account
local max_groups = 1000
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local groups = key('groups', ac)
if call('ZCARD', groups) >= max_groups then
    return {'LIMIT', max_groups}
end
local raw = cmsgpack.pack({1, ARGV[1], ARGV[2], now_ms()})
call('SET', key('r', ac, ARGV[1]), raw)
call('ZADD', groups, call('INCR', key('seq', ac)), ARGV[1])
if ARGV[3] == '1' then
    a[ACCOUNT.group] = ARGV[1]
    account_save(a)
end
return {'OK', raw}
