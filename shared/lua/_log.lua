-- Attempts are logged for whom they were for, for a month, and the last ones
-- of many.
local logs = {}
local function log_attempt(sid, attempt, now)
    if attempt == '' then
        return
    end
    local k = key('log', ac, sid)
    local n = logs[k]
    logs[k] = (n or call('XLEN', k)) + 1
    if logs[k] > 1000 then
        call('XADD', k, 'MAXLEN', '~', 1000, '*', 'd', attempt)
    elseif n then
        call('XADD', k, '*', 'd', attempt)
    else
        call('XADD', k, 'MINID', '~', now - 30 * 86400000, '*', 'd', attempt)
    end
    if not n then
        call('PEXPIRE', k, 30 * 86400000)
    end
end
