-- Deletes a custom list; it leaves the profiles that have it.  What it lists
-- stands on the hosts until their next check, which does not ask it.
-- KEYS[1] acct:<AC>
-- ARGV    1 list SID
-- Result  OK | RBL | SYSTEM (not a custom one)
--- include: account
--- include: customs
--- use: profile
local sid = ARGV[1]
local l, word = custom_list(sid)
if not l then
    return {word}
end
call('ZREM', key('rbls', ac), sid)
call('DEL', key('r', ac, sid))
for _, rp in ipairs(call('ZRANGE', key('profiles', ac), 0, -1)) do
    local k = key('r', ac, rp)
    local raw = call('GET', k)
    -- A look at the bytes is much less than unpacking a long profile.
    if raw and string.find(raw, sid, 1, true) then
        local p, left = cmsgpack.unpack(raw), {}
        for _, entry in ipairs(p[PROFILE.entries]) do
            if entry ~= sid then
                left[#left + 1] = entry
            end
        end
        p[PROFILE.entries] = left
        save(k, p)
    end
end
return {'OK'}
