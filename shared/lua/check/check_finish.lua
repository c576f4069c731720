-- Finishes a check: state, listings, counters, history, schedule and events
-- change together, once.  Run again it has no second effect.
--
-- A failed check changes no state, with one exception: if no list applies to
-- the host any longer, its listings end.
--
-- It gets the clear results only where they matter.  What only some checks need
-- is included in a block.
--- key: acct  acct:<AC>
--- arg: job  its handle: of a manual check that of check_take; of a host
--          "<AC>:<PP>:<HT>:d:<how many times it was begun>:<end of the lease>:
--          <the daemon's name>", SID and number as check_begin said
--- arg: told  packed array of the results (rbl_record.h) that are not clear
--- arg: clear  SIDs of the lists that are clear, one after the other, or ""
--          (they matter to a host with current listings)
--- arg: lists  how many
--- arg: all  packed array of all results, "=": `told` has all, or "" (they
--          matter only if a client asked for this check)
--- arg: why  it failed, or ""
--- arg: keep  how long the record is kept (ms)
--- arg: interval  seconds between the checks of a host
--- arg: events  "0" if check_begin said so: they have no receiver (if the host
--          is listed, that is looked up again)
--- arg: soon  0, or in how many seconds the host has to be checked again, if
--          that is sooner than its time
--- arg: details  how many octets the stored details of the account may take
--- arg: asks  the digest of `members` (16 digits), and, unless each gave an
--          answer: how many bytes the bits take (1 byte); a bit for each in
--          their order, the lowest first, 1 if it gave none; `rest` of the
--          host's answers (rbl_answers.h); "": not known
--- arg: members  the lists of the host: for each its SID in 16 bytes, and its
--          minimum interval (s, 4 bytes, the highest first), with the highest
--          bit set if it is critical
--- reply: OK
--- reply: DONE  it had finished already
--- reply: GONE  there is no such check, or another daemon has it
--- reply: FULL  nothing was done: what `clear` and `all` left out matters
--- include: job
--- include: unchanged
--- include: due
--- include: keep
local results, failed, now = ARG.told, ARG.why ~= '', now_ms()
local no_results = '\144'
-- The history of a host has an entry for each check that changed its listings:
-- packed transitions (_transitions.lua).  It keeps about so many.
local history_max = 200
-- A scheduled check that no client asked for has no record.
local ck, full, callbacks, keep = key('check', ac, pp), nil, nil, nil
if not due or by ~= pp .. ':' .. job:sub(140) then
    local status
    status, full, callbacks, keep = unpack(call('HMGET', ck, 'status', 'full',
        'callbacks', 'keep'))
    -- A failover may have lost the record; the host's flight then shows that
    -- the check has not finished.
    local held = by and (by == pp
        or due and by == pp .. '+' .. job:sub(140))
    if due and not held
        or status ~= 'running' and status ~= 'queued' and (status or not held)
    then
        release()
        return {status and 'DONE' or 'GONE'}
    end
end

-- The version stamp of the account (_unchanged.lua); when a list last answered;
-- what a check costs (_bill.lua).
local raw, version, last, meter
--- include: finish_read
local n_before = #before
if not failed and ARG.all == '' and (full or n_before > 0 and ARG.clear == ''
    and ARG.lists ~= '0')
then
    return {'FULL'}
end

-- unmoved: the state of the host stays; uncovered: no list applies to the host.
local was_listed = raw and listed > 0
local unmoved, uncovered = failed, failed and uncovered_before == 1
if failed and raw and call('HGET', ck, 'total') == '0' then
    --- include: none_applies
    uncovered, unmoved = true, not none_applies(profile, htype, family)
end

-- places: where `results` has those of the same lists; answered: lists with an
-- answer (_judge.lua counts down from all); only_listed: all are listed.
-- Numbers of elements are counted: "#" looks for the end of a table.
-- news: a listing is new, is over, or has another weight.
local listings, n_listed, places, news, only_listed = {}, 0, {}, false, false
local answered, troubled = failed and 0 or tonumber(ARG.lists), {}
local reweighed = false
--- include: transitions
if unmoved and raw then
    listings, n_listed, troubled = before, listed, troubled_before or {}
else
    n_unknown = 0
    if failed then
        end_all()
    elseif results ~= no_results or n_before > 0 then
        --- include: judge
    end
    if n_transitions > 0 then
        --- include: past
    end
    -- A host that has no list stays unchecked.
    checked = failed and n_before == 0 and checked or now
    first = n_listed == 0 and 0 or was_listed and first or now
end
local is_listed = n_listed > 0
--- include: finish_check

if raw then
    --- include: finish_host
    --- include: finish_coverage
end

local notified = raw and (ARG.events ~= '0' or is_listed or was_listed)
if notified and not unmoved and (was_listed or not uncovered) then
    --- include: notify_check
    -- Damaged records of contacts do not keep a check from finishing.
    pcall(notify_check, ht, h[HOST.groups], is_listed, news,
        was_listed and not is_listed, now)
end
if notified or callbacks then
    --- include: finish_events
end
-- The event has the callbacks, and they may be large.
if callbacks then
    call('HDEL', ck, 'callbacks')
end
-- A check costs nothing without an answer of a list.
if meter and answered > 0 then
    local paid = 1
    --- include: charge
end
release()
return {'OK'}
