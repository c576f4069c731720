-- The contact groups that ARGV names from i on, each once; nil and the reply if
-- one is not the account's or there are too many: each address of a range has
-- a list of them, and all of these change at once.
--- include: refs
local max_groups = 50
local function groups_from(i)
    local out, seen = {}, {}
    for j = i, #ARGV do
        if not owns('groups', ARGV[j]) then
            return nil, {'GROUP'}
        end
        if not seen[ARGV[j]] then
            seen[ARGV[j]] = true
            out[#out + 1] = ARGV[j]
        end
    end
    if #out > max_groups then
        return nil, {'GROUPS', max_groups}
    end
    return out
end
-- Counts who uses them: `by` is "h", a host, or "c", a contact.  refs_write
-- writes it.
local function groups_count(by, groups, n)
    for _, g in ipairs(groups) do
        refs_later(g .. ':' .. by, n)
    end
end
