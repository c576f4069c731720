-- Gives a receiver a new secret.  The one that it had signs beside it for a
-- while; one that was older ends.
-- KEYS[1] acct:<AC>
-- ARGV    1 receiver SID  2 secret  3 ms that the old one stays valid
-- Result  OK, until when the old one is valid (ms; 0: it is not) | HOOK
--- include: hook
local h = hook_load()
if not h then
    return {'HOOK'}
end
local stays = tonumber(ARGV[3])
h[HOOK.old] = stays > 0 and h[HOOK.secret] or ''
h[HOOK.old_until] = stays > 0 and now_ms() + stays or 0
h[HOOK.disabled] = h[HOOK.disabled] or 0
h[HOOK.reason] = h[HOOK.reason] or ''
h[HOOK.secret] = ARGV[2]
save(hook_key, h)
return {'OK', h[HOOK.old_until]}
