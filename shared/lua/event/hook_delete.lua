-- Ends a receiver.  What is to be delivered to it becomes dead letters.
-- KEYS[1] acct:<AC>
-- ARGV    1 receiver SID
-- Result  OK | HOOK
--- include: hook
if not owns('hooks', ARGV[1]) then
    return {'HOOK'}
end
call('ZREM', key('hooks', ac), ARGV[1])
call('DEL', hook_key, key('log', ac, ARGV[1]))
hook_forget()
return {'OK'}
