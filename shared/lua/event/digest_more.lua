-- Tells more of a digest that digest_claim gave: the next of those hosts that
-- are told.  It is leased anew.
-- KEYS[1] digests
-- ARGV    1 window (ms)  2 lease (ms)  3 how many hosts are told at most
--         4 "<AC>:<CO>"  5 event SID of the last part  6 an event SID for what
--         says less than that  7 how many were told
-- Result  OK, -1, the digest as digest_claim tells it
--         | STALE (it is over, or another's)
--- include: base
--- include: of
--- include: told
--- use: contact account
local co
ac, co = string.match(ARGV[4], '^(AC%x+):(CO%x+)$')
local c, a = load(key('r', ac, co)), load(key('acct', ac))
if not c or not a
    or tonumber(call('ZSCORE', key('batch', ac, co), ARGV[5]) or 0) ~= -1
then
    return {'STALE'}
end
call('ZADD', KEYS[1], tostring(now_ms() - ARGV[1] + ARGV[2]), ARGV[4])
return {'OK', -1, told_page(co, c, a, ARGV[6], tonumber(ARGV[7]),
    tonumber(ARGV[3]))}
