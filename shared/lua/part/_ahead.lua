-- A time of the store (ms), or 0: what is further away than `most` is of when
-- its clock was ahead.
local function not_ahead(at, now, most)
    at = tonumber(at) or 0
    return at <= now + most and at or 0
end
