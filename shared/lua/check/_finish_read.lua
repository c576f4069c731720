-- Steps of check_finish: reads the host, and what belongs to its account.
--- takes: ac hk raw
--- sets: before checked family first flap h htype last listed meter n_unknown
--- sets: past profile raw status troubled_before uncovered_before value version
if hk then
    raw, version, last, meter = unpack(call('MGET', hk, key('unchanged', ac),
        key('checked', ac), key('meter', ac)))
    -- GET raises the error of a key that is no string.
    raw = raw or call('GET', hk)
else
    meter = call('GET', key('meter', ac))
end
local h = raw and cmsgpack.unpack(raw)
local status, value, profile, family, htype, listed, n_unknown, checked, first
local before, troubled_before, uncovered_before, past, flap = {}
if h then
    status, value, profile = h[HOST.status], h[HOST.value], h[HOST.profile]
    family, htype = h[HOST.family], h[HOST.type]
    listed, n_unknown = h[HOST.listed_count], h[HOST.unknown_count]
    checked, first = h[HOST.checked], h[HOST.first_listed]
    before, troubled_before = h[HOST.details], h[HOST.troubled]
    uncovered_before, past, flap = h[HOST.uncovered], h[HOST.past], h[HOST.flap]
end
