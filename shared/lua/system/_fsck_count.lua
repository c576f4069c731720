-- Numbers that the caller adds up: rows of a name and a number, behind the
-- faults.  A scan may give an entry twice if its set was written meanwhile.
-- The caller watches (WATCH) what is written together with the set, and then
-- counts again.
--- include: fsck
local counts = {}
local function count(name, n)
    if n > 0 then
        counts[name] = (counts[name] or 0) + n
    end
end
local function counted()
    for name, n in pairs(counts) do
        out[#out + 1] = {name, n}
    end
    return out
end
