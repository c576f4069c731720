-- The contact groups that ARGV names from i on, each once; nil if one is not
-- the account's.
--- include: refs
local function groups_from(i)
    local out, seen = {}, {}
    for j = i, #ARGV do
        if not owns('groups', ARGV[j]) then
            return nil
        end
        if not seen[ARGV[j]] then
            seen[ARGV[j]] = true
            out[#out + 1] = ARGV[j]
        end
    end
    return out
end
-- Counts who uses them: `by` is "h", a host, or "c", a contact.
local function groups_count(by, groups, n)
    for _, g in ipairs(groups) do
        refs_add(g .. ':' .. by, n)
    end
end
