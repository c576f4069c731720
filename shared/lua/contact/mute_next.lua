-- Sets the next time of a mute that is repeated, which a daemon has found
-- (rbl_window_next); until then the last one goes on.
--- key: unmutes
--- arg: member  "<AC>:<MU>"
--- arg: begins  ms, or "0": there is none any more
--- arg: ends  ms
--- reply: OK
--- reply: STALE  that was done, or it is over
--- include: of
--- include: mutes
local now, mu = now_ms(), ARG.member:sub(36)
ac = ARG.member:sub(1, 34)
local m = call('ZSCORE', KEY.unmutes, ARG.member) and load(key('r', ac, mu))
if not m or m[MUTE.rule] == '' or m[MUTE.begins] <= now and m[MUTE.ends] > now
then
    return {'STALE'}
end
if ARG.begins == '0' then
    m[MUTE.ends] = m[MUTE.ends] > 0 and m[MUTE.ends] or now
    m[MUTE.begins] = math.min(m[MUTE.begins], m[MUTE.ends])
    m[MUTE.rule], m[MUTE.minutes] = '', 0
else
    m[MUTE.begins], m[MUTE.ends] = tonumber(ARG.begins), tonumber(ARG.ends)
end
mute_save(m)
if m[MUTE.ends] <= now then
    mutes_done(mu)
elseif m[MUTE.begins] > now then
    mutes_look()
end
return {'OK'}
