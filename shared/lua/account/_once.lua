-- The calls of one sender have numbers that grow.  A call that is sent again,
-- because its answer was lost, is known by its number and does nothing.
local function once(number)
    local last = call('GET', KEY.sender)
    if last and (tonumber(last) or 0) >= tonumber(number) then
        return false
    end
    call('SET', KEY.sender, number, 'PX', 86400000)
    return true
end
