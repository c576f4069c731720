-- The record of a range, which counts those of its addresses that are listed.
local function range_listed(range, change, now)
    local n = math.max(range[HOST.listed_count] + change, 0)
    range[HOST.listed_count] = n
    if n == 0 then
        range[HOST.first_listed] = 0
    elseif change > 0 and range[HOST.first_listed] == 0 then
        range[HOST.first_listed] = now
    end
end
