-- Sets, hashes, lists and streams, in slices.  ARG.what names the one at hand.
-- ARG.cursor is that of its scan; "0" begins, and "" is behind its end.  From
-- ARG.entries on are entries that the scan gave and that were not looked at.  A
-- scan gives each entry that is there during the whole scan, whatever else
-- changes.
-- Numbers that the caller adds up are rows of a name and a number, behind the
-- faults.  A scan may give an entry twice if its set was written meanwhile.
-- The caller watches (WATCH) what is written together with the set, and then
-- counts again.
--- include: fsck
local page = 32
local counts = {}
local function count(name, n)
    if n > 0 then
        counts[name] = (counts[name] or 0) + n
    end
end
-- A list from its end, so that elements which are taken from its head meanwhile
-- do not move the remaining ones out of sight.
local function scan_list(k, from)
    local some = call('LRANGE', k, -from - page, -from - 1)
    return some, #some == page and tostring(from + page) or ''
end
-- A stream: of each entry its id, behind that of the one before it, or "-".
local function scan_stream(k, cursor)
    local some, before = {}, cursor == '0' and '-' or cursor
    for i, entry in ipairs(call('XRANGE', k, cursor == '0' and '-' or '('
        .. cursor, '+', 'COUNT', page))
    do
        some[i], before = before .. ' ' .. entry[1], entry[1]
    end
    return some, #some == page and before or ''
end
-- The next entries of a key, and the cursor behind them.
local function scan(k, cursor, match)
    local t = type_of(k)
    if t == 'list' then
        return scan_list(k, tonumber(cursor))
    elseif t == 'stream' then
        return scan_stream(k, cursor)
    end
    local r = t == 'hash' and call('HSCAN', k, cursor, 'MATCH', match, 'COUNT',
        page) or t == 'zset' and call('ZSCAN', k, cursor, 'MATCH', match,
        'COUNT', page) or {'0', {}}
    local some = {}
    for i = 1, #r[2], 2 do
        some[#some + 1] = r[2][i]
    end
    return some, r[1] ~= '0' and r[1] or ''
end
-- Looks at all entries that match in ARG.what and what is behind it in
-- `order`; `a` and `b` are parts of their keys.  look(what, entry) adds to what
-- is spent, and returns 1 if it took the entry out of a list.
local function walk(order, match, look, a, b)
    local what, cursor, some, i = ARG.what, ARG.cursor, {}, 1
    for at = ARG.entries, #ARGV do
        some[#some + 1] = ARGV[at]
    end
    while what and spent < spent_most do
        if some[i] then
            local gone = look(what, some[i])
            i = i + 1
            if gone and cursor ~= '' then
                cursor = tostring(cursor - gone)
            end
        elseif cursor ~= '' then
            some, cursor = scan(key(what, a, b), cursor, match)
            i, spent = 1, spent + page
        else
            what = string.match(order, ' ' .. what .. ' (%S+)')
            cursor = '0'
        end
    end
    if what then
        local rest = {unpack(ARGV, 2, ARG.entries - 3)}
        rest[#rest + 1] = what
        rest[#rest + 1] = cursor
        for at = i, #some do
            rest[#rest + 1] = some[at]
        end
        out[1] = 'MORE'
        table.insert(out, 2, rest)
    end
    for name, n in pairs(counts) do
        out[#out + 1] = {name, n}
    end
    return out
end
