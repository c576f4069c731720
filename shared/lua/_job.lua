-- For scripts whose KEYS[1] is acct:<AC> and whose ARGV[1] is the handle of a
-- job of that account (check_take).
--- include: base
-- SIDs have one length, and this is faster than a pattern.
local job = ARGV[1]
local ac, pp = job:sub(1, 34), job:sub(36, 101)
local ht = job:sub(103, 103) ~= ':' and job:sub(103, 136) or ''
local kind = job:sub(104 + #ht, 104 + #ht)
local ck, hk = key('check', ac, pp), ht ~= '' and key('r', ac, ht)
local flight, member = key('flight'), ac .. ':' .. ht
-- Is that check the one in flight?  Its mark, a "+", tells that somebody has
-- asked for it since it was taken.
local function held(by)
    return by and by:sub(1, 66) == pp
end
-- The daemon's lease ends.
local function release()
    call('ZREM', key('leases'), ARGV[1])
end
