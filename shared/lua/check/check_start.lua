-- Queues a manual check of a host of the account, or of a one-off value.  If a
-- check of that host is queued or running, that one is returned: it does not
-- count as a start, and the callback is added to it.
--- key: acct  acct:<AC>
--- arg: check  a new SID
--- arg: host  its SID or ""
--- arg: value  of a one-off, or ""
--- arg: family  of a one-off, or ""
--- arg: callback  URL or ""
--- arg: app  SID of the application, or ""
--- arg: keep  how long the record is kept when the check is over (ms)
--- arg: lists  "0": they are not wanted
--- reply: OK check status value total# lists  lists: packed {SID, type, custom,
--          zone, website}
--- reply: HOST
--- reply: RANGE  a range is not checked
--- reply: CALLBACKS max#  of a check
--- reply: ACCOUNT
--- reply: LAPSED  the plan of the account has expired
--- reply: LIMIT max#  how many checks may be started a day
--- include: account
--- include: lists
--- include: due
--- include: keep
local pp, ht, value = ARG.check, ARG.host, ARG.value
local family = tonumber(ARG.family)
local htype, status = '', 'queued'
local flight, member = key('flight'), ac .. ':' .. ht
local a = load(KEY.acct)
local rp, begun
if not a then
    return {'ACCOUNT'}
elseif (a[ACCOUNT.lapsed] or 0) > 0 then
    return {'LAPSED'}
end
if ht ~= '' then
    local h = owns('hosts', ht) and load(key('r', ac, ht))
    if not h then
        return {'HOST'}
    end
    if h[HOST.type] == 'ip_range' then
        return {'RANGE'}
    end
    value, family, htype = h[HOST.value], h[HOST.family], h[HOST.type]
    rp = h[HOST.profile]
    begun = call('HGET', key('flight:due'), member)
    local held = begun or call('HGET', flight, member)
    -- A finished check is in flight by mistake; no other script finds that.
    if held and not begun then
        local was = call('HGET', key('check', ac, held), 'status')
        held = was ~= 'completed' and was ~= 'failed' and held
    end
    pp = held and held:sub(1, 66) or pp
else
    local chosen = load(key('chosen', ac))
    if not chosen then
        return {'ACCOUNT'}
    end
    rp = chosen[CHOSEN.profile]
end

local max_callbacks = 32
local ck = key('check', ac, pp)
local callbacks, known = {}, ARG.callback == ''
local raw = not known and call('HGET', ck, 'callbacks')
if raw then
    callbacks = cmsgpack.unpack(raw)
end
for _, c in ipairs(callbacks) do
    known = known or (c[1] == ARG.callback and c[2] == ARG.app)
end
if not known and #callbacks >= max_callbacks then
    return {'CALLBACKS', max_callbacks}
end

-- Days are those of UTC; the counter expires with its day.
local max = pp == ARG.check and a[ACCOUNT.max_checks] or 0
if max > 0 then
    local started, day = key('started', ac), 86400000
    if tonumber(call('GET', started) or 0) >= max then
        return {'LIMIT', max}
    end
    if call('INCR', started) == 1 then
        call('PEXPIRE', started, day - now_ms() % day)
    end
end

local lists, total = lists_for(rp, htype, family, ARG.lists == '0')
local new = call('EXISTS', ck) == 0
if new then
    call('HSET', ck, 'status', begun and 'running' or 'queued', 'host', value,
        'host_id', ht, 'type', htype, 'family', family, 'profile', rp,
        'total', total)
    if begun then
        call('HSET', ck, 'started', now_ms())
    end
end
call('HSET', ck, 'full', 1)
keep_asked(ck, ARG.keep)
if pp == ARG.check then
    if ht ~= '' then
        call('HSET', flight, member, pp)
        due_never(ht)
    end
    --- include: manual
else
    if begun then
        call('HSET', key('flight:due'), member, pp .. '+' .. begun:sub(68))
    end
    status = call('HGET', ck, 'status')
end
if not known then
    callbacks[#callbacks + 1] = {ARG.callback, ARG.app}
    call('HSET', ck, 'callbacks', cmsgpack.pack(callbacks))
end
return {'OK', pp, status, value, total, lists}
