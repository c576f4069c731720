-- Removes a deleted custom list from the profiles that have it, some profiles
-- at a time, until no profile has it.
--- include: work
--- include: customs
-- Where the entries of a packed profile begin, their number, and the length of
-- the array's head.
local function entries_of(raw)
    local at = cmsgpack.unpack_limit(raw, PROFILE.entries - 1, 1)
    local first, high, low = raw:byte(at + 1, at + 3)
    if first < 160 then
        return at, first - 144, 1
    end
    return at, high * 256 + low, 3
end
-- A long profile is not unpacked: the entry is cut out of its bytes.
local function entry_cut(k, raw, entry)
    local at, n, head = entries_of(raw)
    -- A profile may be named like it: only an entry is one.
    local found = string.find(raw, entry, at + head + 1, true)
    n = n - 1
    if found then
        call('SET', k, raw:sub(1, at) .. (n < 16 and string.char(144 + n)
            or string.char(220, math.floor(n / 256), n % 256))
            .. raw:sub(at + head + 1, found - 1)
            .. raw:sub(found + #entry))
    end
end
-- SID of the list
local function work_rbl_delete(item)
    local sid = item[WORK.args][1]
    local entry = cmsgpack.pack(sid)
    local keys, more = work_page(key('profiles', ac), item, 5)
    for i, rp in ipairs(keys) do
        keys[i] = key('r', ac, rp)
    end
    local cut = 0
    for i, raw in ipairs(keys[1] and call('MGET', unpack(keys)) or {}) do
        if raw and string.find(raw, entry, 1, true) then
            pcall(entry_cut, keys[i], raw, entry)
            cut = cut + 1
        end
    end
    if not more then
        --- include: mutes
        call('ZREM', key('rbls', ac), sid)
        call('DEL', key('r', ac, sid))
        mutes_gone(sid)
    end
    return not more, 20 + 5 * #keys + 30 * cut
end
