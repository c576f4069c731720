-- Enables or disables a system list in one partition, until told otherwise.
-- KEYS[1] lists
-- ARGV    1 list SID  2 status: active, disabled
-- Result  OK | LIST (no such list, or killed)
--- include: base
--- include: defaults
--- include: override
local k = key('r', 'SYS', ARGV[1])
local l = load(k)
if not l or not call('ZSCORE', KEYS[1], ARGV[1]) then
    return {'LIST'}
end
l[LIST.status] = ARGV[2]
call('HSET', override, ARGV[1], ARGV[2])
save(k, l)
rebuild_defaults()
return {'OK'}
