-- Steps of check_finish: the marks of listings that are over end.  `marked` has
-- them, packed, for the history; nil: there were none.
--- takes: ac ended ht
--- sets: marked marks
local marked = nil
local marks = ended[1] and call('HGET', key('marks', ac), ht)
if marks then
    --- include: marks
    local is_over, over, left = {}, {}, {}
    for _, end_of in ipairs(ended) do
        is_over[end_of[1][LISTING.list]] = true
    end
    for _, mark in ipairs(cmsgpack.unpack(marks)) do
        local to = is_over[mark[MARK.list]] and over or left
        to[#to + 1] = mark
    end
    if over[1] then
        marks_set(ht, left)
        marked = cmsgpack.pack(over)
    end
end
