-- Ends a mute now.  One that has ended stays as it is.
--- key: acct  acct:<AC>
--- arg: mute  SID
--- audit: mute
--- reply: OK
--- reply: MUTE
--- include: mutes
local k, now = key('r', ac, ARG.mute), now_ms()
local m = call('ZSCORE', key('mutes', ac), ARG.mute) and load(k)
if not m then
    return {'MUTE'}
end
named = m[MUTE.name] ~= '' and m[MUTE.name] or m[MUTE.reason]
if m[MUTE.ends] <= now then
    by = nil
    return {'OK'}
end
m[MUTE.ends] = now
save(k, m)
call('ZADD', key('mutes', ac), tostring(now), ARG.mute)
mutes_look()
mutes_turn(now)
return {'OK'}
