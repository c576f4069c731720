-- Puts an event into the outbox.  `results` is a packed array of results,
-- `callbacks` an array of {URL, application SID}.
--- use: event
local function wants_events()
    return redis.call('EXISTS', key('hooks', ac), key('contacts', ac)) > 0
end
local function emit(e)
    local r = {}
    for i = 1, EVENT.message do
        r[i] = ''
    end
    r[EVENT.version] = 1
    for name, v in pairs(e) do
        r[EVENT[name]] = v
    end
    redis.call('XADD', key('outbox'), '*', 'a', ac, 'e', e.id,
        'd', cmsgpack.pack(r))
end
