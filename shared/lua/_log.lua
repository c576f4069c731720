-- Attempts are logged for whom they were for, for a month, and the last ones of
-- many.  Those of one call are one entry, for an entry costs more than what
-- stands in it.
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
local function log_entry(k, l, from, to, now)
    local entry = {}
    for i = from, to do
        entry[#entry + 1] = 'd'
        entry[#entry + 1] = l[i]
    end
    local most = math.max(200, math.floor(1000 / (to - from + 1)))
    if call('XLEN', k) >= most then
        call('XADD', k, 'MAXLEN', '~', most, '*', unpack(entry))
    else
        call('XADD', k, 'MINID', '~', now - 30 * 86400000, '*', unpack(entry))
    end
    call('PEXPIRE', k, 30 * 86400000)
end
-- Writes them.  What is no log gives way to one.
local function log_write(now)
    for _, k in ipairs(logged) do
        local l = logs[k]
        for from = 1, #l, 100 do
            local to = math.min(from + 99, #l)
            if not pcall(log_entry, k, l, from, to, now) then
                call('DEL', k)
                log_entry(k, l, from, to, now)
            end
        end
    end
end
