-- Gives a receiver a new secret.  Requests are also signed with the secret
-- before it for a while; an even older one ends.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- arg: secret
--- arg: stays  seconds that the old one stays valid
--- audit: hook
--- reply: OK until#  until when the old one is valid (ms; 0: it is not)
--- reply: HOOK  no such receiver
--- include: hook_of
local stays = tonumber(ARG.stays) * 1000
h[HOOK.old] = stays > 0 and h[HOOK.secret] or ''
h[HOOK.old_until] = stays > 0 and now_ms() + stays or 0
h[HOOK.secret] = ARG.secret
save(hook_key, h)
return {'OK', h[HOOK.old_until]}
