-- Does for nginx what only a daemon may: changes the record of an account, and
-- moves entries of its audit log to where nginx can only read them, an hour
-- after they were made (_audit.lua).
--- key: acct  acct:<AC>
--- reply: OK more#  1: there is more to do
--- include: account_save
--- include: wanted
--- use: account
local kept, hour, slice = 2000, 3600000, 100
local now = now_ms()
local a = load(KEY.acct)
if a and wanted_take(a) then
    account_save(a)
end
-- Moves the oldest entries of a stream; returns when the next one is to move
-- (ms), or nil.  An id that is not above those that are there was made before
-- the clock was set back: the entry gets one.
local function move(name, past)
    local from, to = key(name, ac), key(past, ac)
    local old = call('XRANGE', from, '-', string.format('%.0f', now - hour),
        'COUNT', slice)
    for _, e in ipairs(old) do
        local r = redis.pcall('XADD', to, 'MAXLEN', '~', kept, e[1],
            unpack(e[2]))
        if type(r) == 'table' then
            call('XADD', to, 'MAXLEN', '~', kept, '*', unpack(e[2]))
        end
        call('XDEL', from, e[1])
    end
    local first = call('XRANGE', from, '-', '+', 'COUNT', 1)[1]
    return first and tonumber(first[1]:match('^%d+')) + hour
end
local one, two = move('audit', 'past'), move('audit:rest', 'past:rest')
local turn = math.min(one or math.huge, two or math.huge)
if turn == math.huge then
    call('ZREM', key('settle'), ac)
else
    call('ZADD', key('settle'), tostring(math.max(turn, now)), ac)
end
return {'OK', turn <= now and 1 or 0}
