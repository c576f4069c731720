-- Steps of check_finish: the listings that end, after those that go on.
--- takes: began before by_sid disused ended n_before next_before
--- sets: clear disused last_found
-- Clear lists mostly come in the order of the listings, too.  One with another
-- zone now is not among them (result.c).
local clear, last_found = ARG.clear, 0
for i = by_sid and 1 or next_before, n_before do
    local l = before[i]
    local sid = l[LISTING.list]
    if not by_sid or by_sid[sid] then
        local _, found = string.find(clear, sid, last_found + 1, true)
        if not found and last_found > 0 then
            _, found = string.find(clear, sid, 1, true)
        end
        last_found, disused = found or last_found, disused or not found
        add_end(l, found and 'clear' or 'ended')
        ended[#ended + 1] = found and l or nil
    end
end
if began > 0 or ended[1] then
    --- include: turned
end
