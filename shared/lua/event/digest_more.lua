-- Returns the next hosts of a digest that digest_claim returned, and renews its
-- lease.
--- key: digests
--- arg: window  ms
--- arg: lease  ms
--- arg: most  how many hosts are told at most
--- arg: member  "<AC>:<CO>"
--- arg: event  SID of the last part
--- arg: less  an event SID for what says less than that
--- arg: from  how many were told
--- reply: OK wait# page[]  -1, the digest as a row of digest_claim
--- reply: STALE  it is over, or another's
--- include: base
--- include: of
--- include: told
--- use: contact account
local co
ac, co = string.match(ARG.member, '^(AC%x+):(CO%x+)$')
local c, a = load(key('r', ac, co)), load(key('acct', ac))
if not c or not a
    or tonumber(call('ZSCORE', key('batch', ac, co), ARG.event) or 0) ~= -1
then
    return {'STALE'}
end
call('ZADD', KEY.digests, tostring(now_ms() - ARG.window + ARG.lease),
    ARG.member)
return {'OK', -1, told_page(co, c, a, ARG.less, tonumber(ARG.from),
    tonumber(ARG.most))}
