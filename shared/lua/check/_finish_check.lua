-- Steps of check_finish: the end in the record of the check.
--- takes: ck failed full hk ht n_listed n_unknown no_results now pp results
--- takes: value
--- sets: is_new stored
local stored = not failed and (full or results ~= no_results)
local is_new
if failed then
    is_new = call('HSET', ck, 'message', ARG.why, 'listed', 0, 'unknown', 0,
        'status', 'failed', 'completed', now, 'checked', ARG.lists) == 6
else
    -- Clients that asked while it ran were told the number of lists of then.
    is_new = call('HSET', ck, 'status', 'completed', 'completed', now,
        'checked', ARG.lists, 'total', ARG.lists) == 4
    if not due or stored then
        call('HSET', ck, 'listed', n_listed, 'unknown', n_unknown, 'details',
            stored and 1 or 0)
    end
end
if is_new and hk then
    call('HSET', ck, 'host', value or '', 'host_id', ht, 'total', ARG.lists)
end
-- Of a scheduled check that no client asked for the record has its end already.
if not due or is_new or keep then
    keep_ended(ck, ARG.keep, keep)
end
if stored then
    --- include: details
    local left = call('PTTL', ck)
    details_store(pp, full and ARG.all ~= '=' and ARG.all or results,
        left > 0 and left or tonumber(ARG.keep), now, tonumber(ARG.details))
end
