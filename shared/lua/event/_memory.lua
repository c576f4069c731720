-- Does the error say that the store has no memory left?  Then the work is left
-- for later, and not given up.
local function without_memory(why)
    return string.find(tostring(type(why) == 'table' and why.err or why), 'OOM',
        1, true)
end
