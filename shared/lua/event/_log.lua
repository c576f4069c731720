-- The log of attempts of each receiver: a month, with a limited number of
-- entries.
--- include: delivery
local log_days = 30 * 86400000
local logs, logged = {}, {}
local function log_attempt(sid, attempt)
    if attempt == '' then
        return
    end
    local k = key('log', ac, sid)
    local l = logs[k]
    if not l then
        l = {}
        logs[k] = l
        logged[#logged + 1] = k
    end
    l[#l + 1] = attempt
end
-- The first ones that are older.
local function log_old(k, now)
    for _ = 1, 64 do
        local raw = call('LINDEX', k, 0)
        local sound, t = pcall(cmsgpack.unpack, raw or '')
        if not raw or not sound or type(t) ~= 'table'
            or (tonumber(t[TRY.at]) or now) > now - log_days
        then
            return
        end
        call('LPOP', k)
    end
end
local function log_append(k, l, from, to, now)
    local n = call('RPUSH', k, unpack(l, from, to))
    if n > 1100 then
        call('LTRIM', k, -1000, -1)
    elseif n <= 64 or n % 64 <= to - from then
        log_old(k, now)
    end
    call('PEXPIRE', k, '2592000000')
end
-- Writes them.  A key that is no stream is replaced; a full store logs nothing.
local function log_write(now)
    for _, k in ipairs(logged) do
        local l = logs[k]
        for from = 1, #l, 64 do
            local to = math.min(from + 63, #l)
            local sound, why = pcall(log_append, k, l, from, to, now)
            if not sound and failure(why):find('WRONGTYPE', 1, true) then
                call('DEL', k)
                log_append(k, l, from, to, now)
            end
        end
    end
end
