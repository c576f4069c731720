-- Ends a check: state, listing, counters, history, schedule and events change
-- together, once.  Run again it has no second effect.
--
-- Unknown and skipped keep the standing answer of that list; a list that is
-- not asked any more has none.  A failed check changes no state, but for one
-- whose profile was left without any list that applies: then no answer stands.
-- Unknowns of a list are counted from one known answer to the next.
--
-- This is what the store does most.  It gets the clear results only where they
-- matter, and leaves the part of the host's record that a check does not
-- change packed as it is.
--- key: acct  acct:<AC>
--- arg: job  its handle: of a manual check that of check_take; of a host
--          "<AC>:<PP>:<HT>:d:<how many times it was begun>:<end of the lease>:
--          <the daemon's name>", SID and number as check_begin said
--- arg: told  packed array of the results (rbl_record.h) that are not clear
--- arg: clear  SIDs of the lists that are clear, one after the other, or ""
--          (they matter to a host with standing listings)
--- arg: lists  how many
--- arg: all  packed array of all results, "=": they are those told, or "" (they
--          matter only if this very check was asked for)
--- arg: why  it failed, or ""
--- arg: keep  how long the record is kept (ms)
--- arg: interval  seconds between the checks of a host
--- arg: events  "0": nobody wants them, said check_begin (asked again if the
--          host is listed)
--- arg: soon  0, or in how many seconds it has to be checked again, if that is
--          sooner than its time
--- arg: details  how many octets those of the account may take
--- reply: OK
--- reply: DONE  it was over already
--- reply: GONE  no such check any more, or it is another daemon's
--- reply: FULL  nothing was done: all that was left out matters
--- include: job
--- include: unchanged
--- include: due
--- include: checked
--- include: keep
--- include: events
--- include: totals
--- include: tell
--- include: details
--- include: large
--- include: history
--- use: account host profile
-- Of a check that nobody has asked for all is known.
local ck, full, callbacks, keep = key('check', ac, pp), nil, nil, nil
if not due or by ~= pp .. ':' .. job:sub(140) then
    local state = call('HMGET', ck, 'status', 'full', 'callbacks', 'keep')
    local status = state[1]
    full, callbacks, keep = state[2], state[3], state[4]
    -- The record may be lost (a failover); the host's flight then tells that
    -- the check is still due an end.
    local held = by and (by == pp
        or due and by == pp .. '+' .. job:sub(140))
    if due and not held
        or status ~= 'running' and status ~= 'queued' and (status or not held)
    then
        release()
        return {status and 'DONE' or 'GONE'}
    end
end
local told, failed = ARG.told, ARG.why ~= ''
-- How many elements the packed array at an offset has, and where they begin.
-- Arrays of arrays are unpacked one element at a time: a table of all of them
-- would take longer than everything else.
local function array_at(packed, at)
    local first, high, low = packed:byte(at + 1, at + 3)
    if first == 220 then
        return high * 256 + low, at + 3
    end
    return first - 144, at + 1
end
local unpack_limit, byte = cmsgpack.unpack_limit, string.byte
local result_fields = 11

-- The fields of the host in the order of the schema, a table of them would
-- cost more: up to `created`, and from `checked` to `details`; `from` and `to`
-- tell where the latter lie.
local raw, marked, last
if hk then
    local found = call('MGET', hk, key('unchanged', ac), key('checked', ac))
    -- What is no record says so here.
    raw, marked, last = found[1] or call('GET', hk), found[2], found[3]
end
local from, value, parent, host_status, profile, groups, to, _
local checked, first, count, unknown_count, next_check, had, flag
local before, n_before = {}, 0
if raw then
    from, _, _, value, _, _, _, parent, host_status, profile, groups =
        unpack_limit(raw, HOST.checked - 1, 3)
    to, checked, first, count, unknown_count, next_check =
        unpack_limit(raw, HOST.details - HOST.checked, from)
    n_before, to = array_at(raw, to)
    for i = 1, n_before do
        local sid, zone, site, text, codes, since, at, n, over
        to, sid, zone, site, text, codes, since, at, n, over =
            unpack_limit(raw, byte(raw, to + 1) - 144, to + 1)
        before[i] = {sid, zone, site, text, codes, since, at, n, over}
    end
    if to > 0 then
        to, had = cmsgpack.unpack_one(raw, to)
    end
    if to > 0 then
        to, flag = cmsgpack.unpack_one(raw, to)
    end
    to = to > 0 and to or #raw
end
local was_listed, has_old = raw and count > 0, n_before > 0
if not failed and ARG.all == ''
    and (full or has_old and ARG.clear == '' and ARG.lists ~= '0')
then
    return {'FULL'}
end

local now = now_ms()
local unmoved, uncovered = failed, failed and flag == 1
if failed and raw and call('HGET', ck, 'total') == '0' then
    uncovered = true
    local p = load(key('r', ac, profile))
    unmoved = not p or p[PROFILE.uses_defaults] ~= 0
        or call('EXISTS', key('defaults')) == 0
end

-- standing: what the record holds from now on; places: where the results of
-- the same lists are in `told`; transitions: {list, zone, verdict, codes}, as
-- many as a history takes.  The numbers of entries are counted: "#" looks for
-- the end of a table.
local standing, places, transitions, unknown = {}, {}, {}, 0
local n_standing, n_transitions, started = 0, 0, false
local results                           -- listings, packed
-- How many lists told something.
local known = failed and 0 or tonumber(ARG.lists)
-- Lists with earlier trouble keep their places.  Lists with a new listing that
-- is not confirmed have places of their own: the next check must know them.
local troubled, troubled_most, news_most = {}, 8, 64
if not failed and (told ~= no_results or has_old) then
    local function turned(list, zone, verdict, codes)
        n_transitions = n_transitions + 1
        transitions[n_transitions] = {list, zone, verdict, codes}
    end
    -- What a list said before one of these was perhaps not to be believed.
    local disbelieved = {unhealthy = true, resolver = true, blocked = true}
    -- Since when a list has said that a listing is over (0: it has not).  The
    -- time in which it said nothing at all is none in which it said so.
    local function over_since(over, why)
        if disbelieved[why] then
            return 0
        elseif why == 'unconfirmed' then
            return over == 0 and now or over
        end
        return over == 0 and 0
            or math.min(now, over + math.max(0, now - checked))
    end
    local trouble, joined, fresh = {}, {}, true
    -- 1 while a new listing of the list is not confirmed.  A timeout, for
    -- example, says nothing about the listing and changes nothing.
    local is_news, news = {unconfirmed = true, frozen = true}, {}
    local function pending(was, why)
        return is_news[why] and 1 or not disbelieved[why] and was or nil
    end
    for _, t in ipairs(had or {}) do
        trouble[t[1]] = t
    end
    -- The listing that a list had; each is asked for once.  Lists mostly come
    -- in the order of the listings: from the first that does not, they are
    -- found by SID; false: its list has told something.
    local old, next_old = nil, 1
    local function listing_of(sid)
        local l = before[next_old]
        if not old and l and l[1] == sid then
            next_old = next_old + 1
            return l
        end
        if not old then
            old = {}
            for i = next_old, n_before do
                old[before[i][1]] = before[i]
            end
        end
        l = old[sid]
        old[sid] = l and false
        return l
    end
    local n_told, at = array_at(told, 0)
    for _ = 1, n_told do
        local place, sid, zone, site, is, codes, text, why, _ = at
        at, sid, _, _, zone, site, is, codes, text, _, why =
            unpack_limit(told, result_fields, at + 1)
        -- A custom list may be behind another zone now: that is another list.
        local was = listing_of(sid)
        was = was and was[2] == zone and was
        if is == 'listed' then
            n_standing = n_standing + 1
            places[n_standing] = place
            if was then
                was[3], was[4], was[5] = site, text, codes
                was[7], was[8], was[9] = now, 0, 0
                standing[n_standing] = was
            else
                standing[n_standing] = {sid, zone, site, text, codes, now, now,
                    0, 0}
                started = true
                if n_transitions < history_max then
                    turned(sid, zone, 'listed', table.concat(codes, ','))
                end
            end
        else
            fresh = false
            known = known - 1
            local asked = is == 'unknown'
            if asked then
                unknown = unknown + 1
            end
            if was then
                if asked then
                    was[7], was[8] = was[7] or 0, (was[8] or 0) + 1
                    was[9] = over_since(was[9] or 0, why)
                end
                n_standing = n_standing + 1
                standing[n_standing] = was
                places[n_standing] = place
            elseif trouble[sid] then
                local t = trouble[sid]
                if asked then
                    t[2], t[4], t[5] = why, t[4] + 1, pending(t[5], why)
                end
                troubled[#troubled + 1] = t
            elseif asked and is_news[why] then
                news[#news + 1] = {sid, why, now, 1, 1}
            elseif asked and #joined < troubled_most then
                joined[#joined + 1] = {sid, why, now, 1}
            end
        end
    end
    for i = 1, math.min(#joined, troubled_most - #troubled) do
        troubled[#troubled + 1] = joined[i]
    end
    for i = 1, math.min(#news, troubled_most + news_most - #troubled) do
        troubled[#troubled + 1] = news[i]
    end
    -- Where nothing else was told, that is what an event tells.
    results = fresh and told
    -- Clear lists mostly come in the order of the listings.
    local clear, from = ARG.clear, 1
    for i = old and 1 or next_old, clear ~= '' and n_before or 0 do
        local sid = before[i][1]
        if (not old or old[sid]) and n_transitions < history_max then
            local _, found = string.find(clear, sid, from, true)
            if not found and from > 1 then
                _, found = string.find(clear, sid, 1, true)
            end
            if found then
                from = found + 1
                turned(sid, before[i][2], 'clear', '')
            end
        end
    end
end
local listed = n_standing > 0
-- The results of the lists that have the host.  A list that told nothing keeps
-- its listing as it was.
local function results_of_listings()
    local listings = {}
    for i = 1, n_standing do
        local _, r = cmsgpack.unpack_one(told, places[i])
        local l = standing[i]
        listings[i] = r[6] == 'listed' and r or {r[1], r[2], r[3], r[4], l[3],
            'listed', l[5], l[4], '', r[10], r[11]}
    end
    return cmsgpack.pack(listings)
end

local new
local stored = not failed and (full or told ~= no_results)
if failed then
    new = call('HSET', ck, 'message', ARG.why, 'listed', 0, 'unknown', 0,
        'status', 'failed', 'completed', now, 'checked', ARG.lists) == 6
else
    -- Whoever asked while it ran was told of the lists as they were then.
    new = call('HSET', ck, 'status', 'completed', 'completed', now, 'checked',
        ARG.lists, 'total', ARG.lists) == 4
    if not due or stored then
        call('HSET', ck, 'listed', n_standing, 'unknown', unknown, 'details',
            stored and 1 or 0)
    end
end
if new and hk then
    call('HSET', ck, 'host', value or '', 'host_id', ht, 'total', ARG.lists)
end
-- That of a scheduled check which nobody has asked for has its end already.
if not due or new or keep then
    keep_ended(ck, ARG.keep, keep)
end
if stored then
    local left = call('PTTL', ck)
    details_store(pp, full and ARG.all ~= '=' and ARG.all or told,
        left > 0 and left or tonumber(ARG.keep), now, tonumber(ARG.details))
end

local record, told_of = raw, nil
if raw then
    if marked then
        hosts_change()
    end
    if known > 0 or not last then
        checked_at(key('checked', ac), last, now, ARG.interval)
    end
    local active = host_status == 'active'
    call('HDEL', flight, member)
    if active then
        local soon = tonumber(ARG.soon)
        next_check = next_time(ht, now, ARG.interval)
        if soon > 0 then
            next_check = math.min(next_check, now + soon * 1000)
        end
        call('ZADD', key('due', ac), tostring(next_check), ht)
        -- The account's turn is not later than the end of the lease, unless
        -- that is over and another daemon has the host, too.
        local till = due and tonumber(job:sub(142, 154))
        if not due or next_check < till or till <= now then
            call('ZADD', key('due'), 'LT', tostring(next_check), ac)
        end
    elseif due then
        due_never(ht)
    end
    -- The fields up to `details`, that, and what follows: they are not joined,
    -- for it may be large.
    local numbers, details, rest
    if unmoved then
        listed = was_listed
        numbers = cmsgpack.pack(checked, first, count, unknown_count,
            next_check)
        details = cmsgpack.pack(before)
        troubled = had or {}
    else
        first = not listed and 0 or was_listed and first or now
        numbers = cmsgpack.pack(now, first, n_standing, unknown, next_check)
        details = n_standing > 0 and cmsgpack.pack(standing) or '\144'
        if active and listed then
            totals_add(TOTALS.listed, call('ZADD', key('listed', ac),
                call('ZSCORE', key('hosts', ac), ht), ht))
        elseif was_listed then
            totals_add(TOTALS.listed, -call('ZREM', key('listed', ac), ht))
        end
        history_add(ht, pp, transitions)
    end
    -- The first trouble makes the record a field longer, and so does that no
    -- list applies to the host.
    local length = (flag or uncovered) and HOST.uncovered
        or (had or troubled[1]) and HOST.troubled or HOST.details
    local grows = length > (flag and HOST.uncovered or had and HOST.troubled
        or HOST.details)
    rest = (length > HOST.details and cmsgpack.pack(troubled) or '')
        .. (length == HOST.uncovered and (uncovered and '\1' or '\0') or '')
    local size, at = #numbers + #details + #rest, from + #numbers
    if not results and not failed and #details > 4096 then
        results, told_of = told, details
    end
    local changes = uncovered ~= (flag == 1)
    if changes and active then
        if uncovered then
            call('ZADD', key('uncovered', ac), now, ht)
        else
            call('ZREM', key('uncovered', ac), ht)
        end
    end
    if #details > 4096 and to == #raw and not grows then
        if size == to - from then
            call('SETRANGE', hk, from, numbers)
        else
            call('SET', hk, raw:sub(1, from) .. numbers)
            large('hosts', from + size)
        end
        call('SETRANGE', hk, at, details)
        if rest ~= '' then
            call('SETRANGE', hk, at + #details, rest)
        end
    elseif size == to - from and not grows then
        call('SETRANGE', hk, from, numbers .. details .. rest)
    else
        raw = (grows and '\220\0' .. string.char(length)
            .. raw:sub(4, from) or raw:sub(1, from)) .. numbers .. details
            .. rest .. raw:sub(to + 1)
        call('SET', hk, raw)
        large('hosts', #raw)
    end
    local pk = (not unmoved or changes) and parent ~= ''
        and key('r', ac, parent)
    local range = pk and load(pk)
    if range then
        if changes then
            range[HOST.troubled] = range[HOST.troubled] or {}
            range[HOST.uncovered] = uncovered and 1 or 0
        end
        range[HOST.checked] = unmoved and range[HOST.checked] or now
        if listed ~= was_listed then
            local n = range[HOST.listed_count] + (listed and 1 or -1)
            range[HOST.listed_count] = n
            if n == 0 then
                range[HOST.first_listed] = 0
            elseif range[HOST.first_listed] == 0 then
                range[HOST.first_listed] = now
            end
        end
        save(pk, range)
    end
end

local heard = from and (ARG.events ~= '0' or listed or was_listed)
if heard and not unmoved then
    -- What of theirs is damaged keeps no check from its end.
    pcall(tell, ht, groups, listed, started, was_listed and not listed, now)
end
local hooks = heard and wants_events()
if callbacks or hooks then
    local timezone = load(KEY.acct)[ACCOUNT.timezone]
    value = value or call('HGET', ck, 'host') or ''
    results = results or results_of_listings()
    -- The host without its listings, as it is now.
    raw = from and '\220\0' .. string.char(HOST.uncovered)
        .. record:sub(4, from) .. cmsgpack.pack(unmoved and checked or now,
            first, unmoved and count or n_standing,
            unmoved and unknown_count or unknown, next_check, {}, {},
            uncovered and 1 or 0) or ''
    emit(timezone, completed_sid(pp), 'rbl.host.check.completed', now, pp,
        raw, value, listed, unmoved and count or n_standing, results,
        hooks and 1 or 0, callbacks or no_callbacks,
        ARG.why, nil, nil, told_of)
    if hooks and not unmoved and (listed or was_listed) then
        emit(timezone, changed_sid(pp),
            listed and 'rbl.host.listed' or 'rbl.host.delisted', now, pp, raw,
            value, listed, n_standing, results, 1, no_callbacks, '',
            nil, nil, told_of)
    end
end
-- They are in the event, and may be large.
if callbacks then
    call('HDEL', ck, 'callbacks')
end
release()
return {'OK'}
