-- Shows a page of the applications of an account, the newest first, with what
-- they did, and the last refusals of each.
--- key: acct  acct:<AC>
--- arg: first  rank, from 0, the newest
--- arg: last  rank
--- arg: parts...  the ends of the names of the keys of their statistics
--- reply: OK total# apps[]
--- reply: ACCOUNT  there is none
--- row: app record tokens# parts[] refusals[]  packed.  parts: each a hash;
--          refusals: the newest first
--- include: exists
--- include: token_counts
local kept = 10
-- A damaged key affects only what it has.
local function read(...)
    local reply = redis.pcall(...)
    return reply.err and {} or reply
end
local apps = {}
for _, sid in ipairs(call('ZRANGE', key('apps', ac), ARG.first, ARG.last,
    'REV'))
do
    local raw, parts = call('GET', key('s', ac, sid)), {}
    for i = ARG.parts, #ARGV do
        parts[#parts + 1] = read('HGETALL', key('stats', ac, sid, ARGV[i]))
    end
    if raw then
        apps[#apps + 1] = {raw, tokens[sid] or 0, parts,
            read('LRANGE', key('errors', ac, sid), 0, kept - 1)}
    end
end
return {'OK', call('ZCARD', key('apps', ac)), apps}
