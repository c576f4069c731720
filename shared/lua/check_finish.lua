-- Ends a check: state, listing, counters, history, schedule and events change
-- together, once.  Run again it has no second effect.
--
-- Unknown and skipped keep the standing answer of that list; a list that is
-- not asked any more has none.  A failed check changes no state, but for one
-- whose profile was left without any list that applies: then no answer stands.
-- KEYS[1] acct:<AC>
-- ARGV    1 check SID  2 host SID or ""  3 stream  4 stream id
--         5 packed array of results (rbl_record.h)  6 "" or why it failed
--         7 event SID (completed)  8 event SID (listed, delisted)
--         9 how long the record is kept (ms)
-- Result  OK, listed (0/1), number of lists | DONE (it was over already)
--         | GONE (no such check any more)
--- include: account
--- include: finish
--- use: profile
local pp, ht = ARGV[1], ARGV[2]
local ck, member = key('check', ac, pp), ac .. ':' .. ht
local status, value, full, callbacks, total = unpack(redis.call('HMGET', ck,
    'status', 'host', 'full', 'callbacks', 'total'))
-- The record may be lost (a failover); the host's flight then tells that the
-- check is still due an end.
if not status and ht ~= ''
    and redis.call('HGET', key('flight'), member) == pp
then
    status = 'running'
end
if status ~= 'running' and status ~= 'queued' then
    ack(ARGV[3], ARGV[4])
    return {status and 'DONE' or 'GONE'}
end

local now = now_ms()
local a = load(KEYS[1])
local hk = key('r', ac, ht)
local h = ht ~= '' and load(hk) or nil
value = value or h and h[HOST.value]
local failed = ARGV[6] ~= ''
local function no_list_by_choice()
    local profile = h and load(key('r', ac, h[HOST.profile]))
    return total == '0' and profile and profile[PROFILE.uses_defaults] == 0
        and redis.call('EXISTS', key('defaults')) == 1
end
local frozen = failed and not no_list_by_choice()
local results = cmsgpack.unpack(ARGV[5])
local unknown, standing, told, transitions, kept = 0, {}, {}, {}, {}
local old = {}
for _, l in ipairs(h and h[HOST.details] or {}) do
    old[l[1]] = l
end
for _, r in ipairs(results) do
    local was, verdict = old[r[1]], r[6]
    if verdict == 'listed' then
        standing[#standing + 1] = {r[1], r[4], r[5], r[8], r[7],
            was and was[6] or now}
        told[#told + 1] = r
    elseif verdict ~= 'clear' then
        unknown = unknown + 1
        if was then
            standing[#standing + 1] = was
            told[#told + 1] = {r[1], r[2], r[3], was[2], was[3], 'listed',
                was[5], was[4], '', r[10], r[11]}
        end
    end
    if (verdict == 'listed') ~= (was ~= nil) and verdict ~= 'unknown'
        and verdict ~= 'skipped'
    then
        transitions[#transitions + 1] = r
    end
    if full or verdict ~= 'clear' then
        kept[#kept + 1] = r
    end
end

local listed, was_listed = #standing > 0, false
if frozen then
    listed = h ~= nil and h[HOST.listed_count] > 0
end
check_over(pp, ARGV[9], 'status', failed and 'failed' or 'completed',
    'completed', now, 'message', ARGV[6], 'checked', #results, 'listed',
    #standing, 'unknown', unknown)
if not failed then
    redis.call('SET', ck .. ':d', cmsgpack.pack(kept), 'PX',
        redis.call('PTTL', ck))
end

if h then
    was_listed = h[HOST.listed_count] > 0
    local active = h[HOST.status] == 'active'
    redis.call('HDEL', key('flight'), member)
    if active then
        h[HOST.next_check] = now + a[ACCOUNT.interval] * 1000
        redis.call('ZADD', key('due'), h[HOST.next_check], member)
    end
    if not frozen then
        h[HOST.checked] = now
        h[HOST.details] = standing
        h[HOST.listed_count] = #standing
        h[HOST.unknown_count] = unknown
        if not listed then
            h[HOST.first_listed] = 0
        elseif not was_listed then
            h[HOST.first_listed] = now
        end
        if active and listed then
            redis.call('ZADD', key('listed', ac), owns('hosts', ht), ht)
        else
            redis.call('ZREM', key('listed', ac), ht)
        end
        for _, r in ipairs(transitions) do
            redis.call('XADD', key('hist', ac, ht), 'MAXLEN', '~', 200, '*',
                'c', pp, 'l', r[1], 'z', r[4], 'v', r[6],
                'a', table.concat(r[7], ','))
        end
    end
    save(hk, h)
    local pk = key('r', ac, h[HOST.parent])
    local parent = h[HOST.parent] ~= '' and not frozen and load(pk)
    if parent then
        parent[HOST.checked] = now
        if listed ~= was_listed then
            local n = parent[HOST.listed_count] + (listed and 1 or -1)
            parent[HOST.listed_count] = n
            if n == 0 then
                parent[HOST.first_listed] = 0
            elseif parent[HOST.first_listed] == 0 then
                parent[HOST.first_listed] = now
            end
        end
        save(pk, parent)
    end
end

local e = {id = ARGV[7], type = 'rbl.host.check.completed', date = now,
    check = pp, host = h and cmsgpack.pack(h) or '', value = value,
    listed = listed and 1 or 0, total = #standing,
    results = cmsgpack.pack(told), message = ARGV[6],
    timezone = a[ACCOUNT.timezone]}
local hooks = h ~= nil and wants_events()
if frozen and h then
    e.total = h[HOST.listed_count]
end
if callbacks or (hooks and not failed) then
    e.hooks = hooks and not failed and 1 or 0
    e.callbacks = callbacks and cmsgpack.unpack(callbacks) or {}
    emit(e)
end
if hooks and not frozen and (listed or was_listed) then
    e.id, e.hooks, e.callbacks, e.message = ARGV[8], 1, {}, ''
    e.type = listed and 'rbl.host.listed' or 'rbl.host.delisted'
    emit(e)
end
ack(ARGV[3], ARGV[4])
return {'OK', listed and 1 or 0, #standing}
