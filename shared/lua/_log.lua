-- Attempts are logged for whom they were for, for a month, and the last ones
-- of many.
local function log_attempt(sid, attempt, now)
    if attempt == '' then
        return
    end
    local k = key('log', ac, sid)
    if call('XLEN', k) < 1000 then
        call('XADD', k, 'MINID', '~', now - 30 * 86400000, '*', 'd', attempt)
    else
        call('XADD', k, 'MAXLEN', '~', 1000, '*', 'd', attempt)
    end
    call('PEXPIRE', k, 30 * 86400000)
end
