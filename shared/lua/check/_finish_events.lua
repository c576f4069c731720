-- Steps of check_finish: the events of the check.
--- takes: callbacks ck disused failed h is_listed listings n_listed
--- takes: no_callbacks notified now only_listed places pp results unmoved value
--- takes: was_listed
--- sets: hooks
--- include: events
-- The results of the lists that list the host.  A list without a known result
-- keeps its listing as it was.
local function results_listed()
    local rows = {}
    for i = 1, failed and 0 or n_listed do
        local _, r = cmsgpack.unpack_one(results, places[i])
        local l = listings[i]
        rows[i] = r[RESULT.status] == 'listed' and r or {r[RESULT.list],
            r[RESULT.type], r[RESULT.custom], r[RESULT.zone],
            l[LISTING.website], 'listed', l[LISTING.codes], l[LISTING.details],
            '', r[RESULT.error], r[RESULT.ms]}
    end
    return cmsgpack.pack(rows)
end
local hooks = notified and wants_events()
if callbacks or hooks then
    local timezone = load(KEY.acct)[ACCOUNT.timezone]
    local of = value or call('HGET', ck, 'host') or ''
    local brief = h and event_host(h) or ''
    -- Beside large listings an event has all results (_events.lua).
    local beside = h and not failed and not only_listed
        and cmsgpack.pack(listings)
    beside = beside and #beside > 4096 and beside or nil
    local rows = (only_listed or beside) and results or results_listed()
    emit(timezone, nil, 'rbl.host.check.completed', now, pp,
        brief, of, is_listed, n_listed, rows, hooks and 1 or 0,
        callbacks or no_callbacks, ARG.why, nil, nil, beside)
    if hooks and not unmoved and (is_listed or was_listed) then
        emit(timezone, nil,
            is_listed and 'rbl.host.listed' or 'rbl.host.delisted', now, pp,
            brief, of, is_listed, n_listed, rows, 1, no_callbacks,
            disused and not is_listed and 'list_ended' or '', nil, nil, beside)
    end
end
