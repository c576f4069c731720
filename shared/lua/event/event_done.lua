-- Ends events of the outbox with first attempts: records the outcome of the
-- first attempt of each delivery, and queues the deliveries that are not over.
-- Only the caller whose XACK succeeds records an event, so each event is
-- recorded once.
--- key: outbox
--- arg: lease  ms
--- arg: events...  each packed: {stream id, account SID, event SID, type, body
--          ("" if all are delivered), deliveries}; a delivery is {target,
--          outcome, the attempt as it is logged, URL and application of a
--          callback or "", ms until the next attempt, status, error, ms for
--          which the receiver asked for quiet}.  Outcome: ok, retry, dead, gone
--          as for delivery_done; or "later": it was not tried, "now": it is
--          being tried, and leased
-- One call makes dead letters of at most 256 KiB of bodies, so that it stays
-- short.  A delivery beyond that is queued, due at once; its next attempt makes
-- the dead letter.
--- reply: OK later#  deliveries that were not tried, then for each event 1, 0
--          (it is not pending: another daemon's) or why it could not be
--          recorded: it is a dead letter then
--- include: of
--- include: delivery
--- include: fails
--- include: log
local now, out, letters = now_ms(), {'OK', 0}, 0
local function put(ev, d, attempt, at)
    local target, app = d[1], d[5] or ''
    local k = key('dlv', ac, ev, target)
    call('HSET', k, 'attempt', attempt, 'first', now)
    if app ~= '' then
        call('HSET', k, 'url', d[4], 'app', app)
    end
    if attempt > 0 then
        call('HSET', k, 'status', d[7], 'error', d[8])
    end
    call('ZADD', key('retry'), at, table.concat({ac, ev, target}, ':'))
    pending_add(ac, ev, target, app ~= '' and app, now)
end
local function record(e)
    ac = e[2]
    local ev, type, body, open = e[3], e[4], e[5], 0
    for _, d in ipairs(e[6]) do
        local target, outcome, app = d[1], d[2], d[5] or ''
        if outcome == 'later' or outcome == 'now' then
            put(ev, d, 0, outcome == 'now' and now + ARG.lease or now)
            open = open + 1
            out[2] = out[2] + (outcome == 'later' and 1 or 0)
        else
            log_attempt(app ~= '' and app or target, d[3])
            if app == '' then
                hook_attempted(target, outcome, false, now, d[9] or 0)
            else
                host_attempted(d[4], outcome, now, d[9] or 0)
            end
            local over = outcome ~= 'ok' and outcome ~= 'retry'
            letters = letters + (over and #body or 0)
            if outcome == 'retry' or over and letters > 262144 then
                put(ev, d, 1, over and now or now + d[6])
                open = open + 1
            elseif over then
                letter(ac, ev, target, type, body, d[4], app, d[7], d[8], 1)
            end
        end
    end
    if open > 0 then
        call('HSET', key('event', ac, ev), 'type', type, 'date', now, 'body',
            body, 'open', open)
    end
end
local ids = {}
for i = ARG.events, #ARGV do
    local e = cmsgpack.unpack(ARGV[i])
    local result = call('XACK', KEY.outbox, 'deliver', e[1])
    if result == 1 then
        ids[#ids + 1] = e[1]
        local sound, why = pcall(record, e)
        if not sound then
            result = failure(why)
            pcall(letter, e[2], e[3], '', e[4], e[5], '', '', 0, result, 0)
        end
    end
    out[#out + 1] = result
end
if #ids > 0 then
    call('XDEL', KEY.outbox, unpack(ids))
end
hooks_well()
log_write(now)
return out
