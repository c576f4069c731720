-- Steps of check_finish: the marks of listings that are over end.  `marked` has
-- them, packed, for the history; nil: there were none.
--- takes: ac before ht listings n_before n_listed started
--- sets: marked marks
local marked, marks = nil, nil
if n_before > 0 and (started or n_listed < n_before) then
    marks = call('HGET', key('marks', ac), ht)
end
if marks then
    --- include: marks
    local stays, over, left, ended = {}, {}, {}, {}
    for i = 1, n_listed do
        stays[listings[i]] = true
    end
    for i = 1, n_before do
        over[before[i][LISTING.list]] = not stays[before[i]]
    end
    for _, mark in ipairs(cmsgpack.unpack(marks)) do
        local to = over[mark[MARK.list]] and ended or left
        to[#to + 1] = mark
    end
    if ended[1] then
        marks_set(ht, left)
        marked = cmsgpack.pack(ended)
    end
end
