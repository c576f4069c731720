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
-- Where the entries of a packed profile begin, how many they are, and how long
-- what tells that is.
local function entries_of(raw)
    local at = cmsgpack.unpack_limit(raw, PROFILE.entries - 1, 1)
    local first, high, low = raw:byte(at + 1, at + 3)
    if first < 160 then
        return at, first - 144, 1
    end
    return at, high * 256 + low, 3
end
call('ZREM', key('rbls', ac), sid)
call('DEL', key('r', ac, sid))
-- A long profile is not unpacked: the entry is cut out of its bytes.
local item = cmsgpack.pack(sid)
for _, rp in ipairs(call('ZRANGE', key('profiles', ac), 0, -1)) do
    local k = key('r', ac, rp)
    local raw = call('GET', k)
    if raw and string.find(raw, item, 1, true) then
        local at, n, head = entries_of(raw)
        -- A profile may be named like it: only an entry is one.
        local found = string.find(raw, item, at + head + 1, true)
        n = n - 1
        if found then
            call('SET', k, raw:sub(1, at) .. (n < 16 and string.char(144 + n)
                or string.char(220, math.floor(n / 256), n % 256))
                .. raw:sub(at + head + 1, found - 1)
                .. raw:sub(found + #item))
        end
    end
end
return {'OK'}
