-- The contact groups that ARGV names from i on, each once; nil and the reply if
-- one is not the account's or there are too many: each address of a range has
-- a list of them, and all of these change at once.
--- include: account
local max_groups = 50
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
