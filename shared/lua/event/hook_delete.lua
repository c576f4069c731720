-- Deletes a receiver.  Its pending deliveries become dead letters.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- reply: OK
--- reply: HOOK  no such receiver
--- include: hook
if not owns('hooks', ARG.hook) then
    return {'HOOK'}
end
call('ZREM', key('hooks', ac), ARG.hook)
call('DEL', hook_key, key('log', ac, ARG.hook))
hook_forget()
return {'OK'}
