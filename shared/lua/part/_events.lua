-- Puts an event into the outbox.  `host` is a raw host record or "", `results`
-- a packed array of results, `callbacks` a packed array of {URL, application
-- SID}; `contact` and `code` are of a contact.confirm alone, which has its SID
-- given.  Other SIDs are made of what the event says: one SID has one content.
-- What a failover has undone, and is done again, has other events.
--- include: wants_events
local no_results, no_callbacks = '\144', '\144'
-- How many octets of the results are part of the SID.
local event_results = 4096
-- The packed host record of an event.  It omits the listings, current and past,
-- and the answers, which may be large, and since when the host was stopped: the
-- event's body does not show them.
local function event_host(h)
    local brief = {}
    for i = 1, #h do
        brief[i] = h[i]
    end
    brief[HOST.details], brief[HOST.troubled] = {}, {}
    brief[HOST.uncovered] = h[HOST.uncovered] or 0
    brief[HOST.stopped], brief[HOST.answers] = 0, ''
    brief[HOST.past], brief[HOST.flap] = nil, nil
    return cmsgpack.pack(brief)
end
-- With `listings`, which are packed, `results` has all results of the check, in
-- the same order: the daemon makes the event of both.
local function emit(timezone, id, type, date, check, host, value, listed,
    total, results, hooks, callbacks, message, contact, code, listings)
    -- An array of 16 elements, with contact and code, or of 14.
    local first = contact and '\220\0\016' or '\158'
    local said = cmsgpack.pack(type, date, check, host, value,
        listed and 1 or 0, total)
    id = id or 'EV' .. redis.sha1hex(ac .. said .. message
        .. results:sub(1, event_results)):sub(1, 32)
    local head = cmsgpack.pack(1, id) .. said
    local tail = cmsgpack.pack(timezone, message)
    if listings or #results + #callbacks > 4096 then
        -- What is large is not joined: Lua hashes all bytes of its strings.
        call('XADD', key('outbox'), '*', 'a', ac, 'e', id, 'd', first .. head,
            'r', results, 's', listings or '', 'h', string.char(hooks),
            'c', callbacks, 't', tail)
    else
        -- The results are a string with a length of four octets.
        call('XADD', key('outbox'), '*', 'a', ac, 'e', id, 'd', first .. head
            .. struct.pack('>BI4', 219, #results) .. results
            .. string.char(hooks) .. callbacks .. tail
            .. (contact and cmsgpack.pack(contact, code) or ''))
    end
end
