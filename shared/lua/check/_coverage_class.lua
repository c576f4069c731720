-- Steps: the name of the class of a host, and its place in the packed record of
-- coverage; nil: it is not there, or has had other lists than the check, `asks`
-- (check_finish.lua).  coverage: nil: the record was not read.
--- takes: ac asks base coverage family htype profile
--- sets: class coverage place
if coverage == nil then
    -- GET would fail if the key is no string.
    coverage = call('MGET', base .. 'coverage:' .. ac)[1]
end
local class = profile .. ':' .. family .. ':' .. htype .. ';'
local place = coverage and string.find(coverage, class, 1, true)
if place and (place < 29 or coverage:sub(place - 28, place - 13)
    ~= asks:sub(1, 16))
then
    place = nil
end
