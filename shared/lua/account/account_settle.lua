-- Makes the changes of an account that only a daemon may make.  Soon after 0:00
-- UTC it notes how many hosts each list lists (_trends.lua).  It writes what
-- users have chosen into the record of the account.  An hour after an entry of
-- the audit log was made, it moves the entry to a stream that nginx can only
-- read (_audit.lua).  Since nginx may write anything into the log, only a
-- hundred entries of a stream move in half an hour: no flood pushes out older
-- entries within some hours.
--- key: acct  acct:<AC>
--- reply: OK
--- include: account_save
--- include: wanted
local kept, slice, rest = 2000, 100, 1800000
local hour, ahead = 3600000, 600000
local now = now_ms()
local ok, a = pcall(load, KEY.acct)
if ok and type(a) == 'table' and wanted_take(a) then
    account_save(a)
end
-- The day on which something changed last (_days.lua), if one is known.
local day_ms = 86400000
local read, changed = pcall(load, key('today', ac))
changed = read and type(changed) == 'table' and tonumber(changed[TODAY.date])
local today = math.floor(now / day_ms)
if changed and changed < today then
    --- include: trends
    if trends_note(changed, today) then
        -- The rest is done at the next visit.
        call('ZADD', key('settle'), tostring(now), ac)
        return {'OK'}
    end
end
-- Returns the ms of the id of the last entry that was moved, and when that was.
local function last_of(past)
    local e = call('XREVRANGE', past, '+', '-', 'COUNT', 1)[1]
    return e and e[1]:match('^%d+') or '1', e and tonumber(e[2][10]) or 0
end
-- Moves an entry.  It gets the next id if its own id is not above all others,
-- or is of a clock that was ahead.
local function move_one(from, past, id, f)
    local function add(to)
        return redis.pcall('XADD', past, 'MAXLEN', '~', kept, to, 'b',
            f[2]:sub(1, 2048), 't', (f[4] or ''):sub(1, 34), 'n',
            (f[6] or ''):sub(1, 1020), 'c', tonumber(f[8]) or 1, 'm',
            string.format('%.0f', now))
    end
    local r = tonumber(id:match('^%d+')) <= now and add(id)
    if type(r) ~= 'string' then
        r = add(last_of(past) .. '-*')
    end
    if type(r) == 'string' then
        call('XDEL', from, id)
    end
end
-- Moves the oldest entries of a stream, or those of a clock that was ahead.
-- Returns when to look at the stream again (ms), or nil.
local function move_old(name, to)
    local from, past = key(name, ac), key(to, ac)
    if not call('XRANGE', from, '-', '+', 'COUNT', 1)[1] then
        return nil
    end
    local _, last = last_of(past)
    if last > now - rest and last <= now then
        return last + rest
    end
    local due = call('XRANGE', from, '-', string.format('%.0f', now - hour),
        'COUNT', slice)
    if not due[1] then
        due = call('XRANGE', from, string.format('%.0f', now + ahead), '+',
            'COUNT', slice)
    end
    for _, e in ipairs(due) do
        move_one(from, past, e[1], e[2])
    end
    local first = call('XRANGE', from, '-', '+', 'COUNT', 1)[1]
    return first and math.max(due[1] and now + rest or 0,
        math.min(tonumber(first[1]:match('^%d+')), now) + hour)
end
local times = {move_old('audit', 'past')}
times[#times + 1] = move_old('audit:rest', 'past:rest')
if changed == today then
    times[#times + 1] = (today + 1) * day_ms
end
if times[1] then
    call('ZADD', key('settle'), tostring(math.min(unpack(times))), ac)
else
    call('ZREM', key('settle'), ac)
end
return {'OK'}
