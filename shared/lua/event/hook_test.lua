-- Sends a receiver an event that only it gets, once.
-- KEYS[1] acct:<AC>
-- ARGV    1 receiver SID  2 event SID  3 type  4 body
-- Result  OK | HOOK | DISABLED
--- include: hook
--- include: single
local h = hook_load()
if not h then
    return {'HOOK'}
end
if h[HOOK.status] ~= 'active' then
    return {'DISABLED'}
end
deliver_single(ARGV[2], ARGV[1], ARGV[3], ARGV[4], nil, 'test', '1')
return {'OK'}
