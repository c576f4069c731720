-- Puts an event into the outbox.  `host` is a raw host record or "", `results`
-- a packed array of results, `callbacks` an array of {URL, application SID};
-- `contact` and `code` are of a contact.confirm alone.
-- The SIDs of a check's events are made of its own, each of other digits: they
-- are the same however often the check is ended.
local no_results = '\144'
local function started_sid(pp)
    return 'EV' .. pp:sub(19, 50)
end
local function completed_sid(pp)
    return 'EV' .. pp:sub(3, 34)
end
local function changed_sid(pp)
    return 'EV' .. pp:sub(35, 66)
end
local function wants_events()
    return call('EXISTS', key('hooks', ac)) == 1
end
local function emit(timezone, id, type, date, check, host, value, listed,
    total, results, hooks, callbacks, message, contact, code)
    call('XADD', key('outbox'), '*', 'a', ac, 'e', id, 'd', cmsgpack.pack({1,
        id, type, date, check, host, value, listed and 1 or 0, total, results,
        hooks, callbacks, timezone, message, contact, code}))
end
