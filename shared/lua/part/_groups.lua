-- The contact groups that ARGV names from i on, each once; nil and the reply if
-- one is not the account's or there are too many: each address of a range has
-- a list of them, and all of these change at once.
--- include: refs
local max_groups = 50
local max_places = 10000                -- of all contacts, each in its groups
local function groups_from(i)
    local out, seen = {}, {}
    for j = i, #ARGV do
        if not seen[ARGV[j]] then
            seen[ARGV[j]] = true
            out[#out + 1] = ARGV[j]
        end
    end
    for from = 1, #out, 500 do
        local scores = call('ZMSCORE', key('groups', ac),
            unpack(out, from, math.min(from + 499, #out)))
        for _, score in ipairs(scores) do
            if not score then
                return nil, {'GROUP'}
            end
        end
    end
    if #out > max_groups then
        return nil, {'GROUPS', max_groups}
    end
    return out
end
-- Counts who uses them: `by` is "h", a host, or "c", a contact.  The places of
-- all contacts are counted together, too.  refs_write writes it.
local function groups_count(by, groups, n)
    for _, g in ipairs(groups) do
        refs_later(g .. ':' .. by, n)
    end
    if by == 'c' then
        refs_later('c', n * #groups)
    end
end
-- May contacts have so many more places in groups?
local function groups_room(more)
    return more <= 0
        or (tonumber(call('HGET', key('refs', ac), 'c')) or 0) + more
            <= max_places
end
