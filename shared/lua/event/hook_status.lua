-- Enables or disables a receiver.  Enabling forgets its failures.
-- KEYS[1] acct:<AC>
-- ARGV    1 receiver SID  2 status: active, disabled
-- Result  OK, packed record | HOOK
--- include: hook
--- include: disable
local h = hook_load()
if not h then
    return {'HOOK'}
end
if ARGV[2] == 'active' then
    h[HOOK.status] = 'active'
    hook_forget()
elseif h[HOOK.status] == 'active' then
    disable(h, '')
end
local raw = cmsgpack.pack(h)
call('SET', hook_key, raw)
return {'OK', raw}
