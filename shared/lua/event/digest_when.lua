-- Sets from when on the next message of a digest may go (rbl_rhythm.h).
--- key: digests
--- arg: member  "<AC>:<CO>"
--- arg: at  ms
--- reply: OK
--- reply: STALE  it is over
--- include: of
local keep = 8 * 86400000               -- ms, more than a week
local now, at = now_ms(), tonumber(ARG.at)
local co
ac, co = string.match(ARG.member, '^(%w+):(%w+)$')
if not call('ZSCORE', KEY.digests, ARG.member) then
    return {'STALE'}
end
call('SET', key('when', ac, co), tostring(at), 'PX',
    tostring(math.max(0, at - now) + keep))
if at > now then
    call('ZADD', key('later'), tostring(at), ARG.member)
    call('ZREM', KEY.digests, ARG.member)
else
    call('ZADD', KEY.digests, 0, ARG.member)
end
return {'OK'}
