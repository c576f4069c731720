-- Steps: the mark (_checked.lua) of a check, `asks`, of a host.
--- takes: asks family htype profile
--- sets: mark
local mark = ' ' .. (#asks == 16 and asks
    or asks:sub(1, 17 + (asks:byte(17) or 0)))
    .. profile .. ':' .. family .. ':' .. htype .. ';'
