-- Steps of check_finish: what the record of the host has from `details` on.
--- takes: before byte n_before raw to unpack_limit
--- sets: answers_before n_before stopped_before to troubled_before
--- sets: uncovered_before
n_before, to = array_at(raw, to)
for i = 1, n_before do
    local sid, zone, site, text, codes, since, at, errors, cleared
    to, sid, zone, site, text, codes, since, at, errors, cleared =
        unpack_limit(raw, byte(raw, to + 1) - 144, to + 1)
    before[i] = {sid, zone, site, text, codes, since, at, errors, cleared}
end
if to > 0 then
    to, troubled_before = cmsgpack.unpack_one(raw, to)
end
if to > 0 then
    to, uncovered_before = cmsgpack.unpack_one(raw, to)
end
if to > 0 then
    to, stopped_before = cmsgpack.unpack_one(raw, to)
end
if to > 0 then
    to, answers_before = cmsgpack.unpack_one(raw, to)
end
to = to > 0 and to or #raw
