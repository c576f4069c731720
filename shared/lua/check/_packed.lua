-- Packed arrays of arrays are unpacked one element at a time: a table of all of
-- them would take longer than everything else in a check.
--- use: result
local unpack_limit = cmsgpack.unpack_limit
local result_fields = RESULT.ms
-- How many elements the packed array at an offset has, and where they begin.
local function array_at(packed, at)
    local first, high, low = packed:byte(at + 1, at + 3)
    if first == 220 then
        return high * 256 + low, at + 3
    end
    return first - 144, at + 1
end
