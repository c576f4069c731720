-- The name in a record that is about to be deleted, damaged or not.
local function named_in(k, at)
    local ok, record = pcall(load, k)
    return ok and type(record) == 'table' and record[at] or ''
end
