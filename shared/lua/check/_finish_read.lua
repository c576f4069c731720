-- Steps of check_finish: reads the host, and what belongs to its account.
--- takes: ac hk raw
--- sets: last meter raw version
if hk then
    raw, version, last, meter = unpack(call('MGET', hk, key('unchanged', ac),
        key('checked', ac), key('meter', ac)))
    -- GET raises the error of a key that is no string.
    raw = raw or call('GET', hk)
else
    meter = call('GET', key('meter', ac))
end
