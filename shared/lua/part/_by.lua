-- Who calls an audited script is its last argument, behind those that it
-- declares (rbl_audit.h).
local by = table.remove(ARGV)
if not by or by:sub(1, 2) ~= '\151\1' then
    return redis.error_reply('ERR an audited script has to know who calls it')
end
