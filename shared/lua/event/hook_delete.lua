-- Deletes a receiver.  Its pending deliveries become dead letters.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- audit: hook
--- reply: OK
--- reply: HOOK  no such receiver
--- include: hook
--- include: named
if not owns('hooks', ARG.hook) then
    return {'HOOK'}
end
named = named_in(hook_key, HOOK.name)
call('ZREM', key('hooks', ac), ARG.hook)
call('DEL', hook_key, key('log', ac, ARG.hook))
hook_forget()
return {'OK'}
