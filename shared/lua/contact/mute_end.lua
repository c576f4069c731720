-- Ends a mute now, also one that has not begun, or is repeated.  One that is
-- over stays as it is.
--- key: acct  acct:<AC>
--- arg: mute  SID
--- audit: mute
--- reply: OK
--- reply: MUTE
--- include: mutes
local now = now_ms()
local m = call('ZSCORE', key('mutes', ac), ARG.mute)
    and load(key('r', ac, ARG.mute))
if not m then
    return {'MUTE'}
end
named = m[MUTE.name] ~= '' and m[MUTE.name] or m[MUTE.reason]
if mute_over(m) <= now then
    by = nil
    return {'OK'}
end
mute_close(m, now)
mutes_look()
return {'OK'}
