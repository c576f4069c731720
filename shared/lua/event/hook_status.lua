-- Enables or disables a receiver.  Enabling forgets its failures.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- arg: status  active, disabled
--- audit: hook
--- reply: OK record  packed
--- reply: HOOK  no such receiver
--- include: hook_of
--- include: disable
if ARG.status == 'active' then
    h[HOOK.status] = 'active'
    hook_forget()
elseif h[HOOK.status] == 'active' then
    disable(h, '')
end
local raw = cmsgpack.pack(h)
call('SET', hook_key, raw)
return {'OK', raw}
