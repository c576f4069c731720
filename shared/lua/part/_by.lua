-- Who calls an audited script is its last argument, behind those that it
-- declares (rbl_audit.h).  Where an entry could not be written, the script ends
-- before it has changed anything: Redis undoes nothing.
--- include: account
--- use: by
local by = table.remove(ARGV)
if not by or by:sub(1, 2) ~= '\151\1' then
    return redis.error_reply('ERR an audited script has to know who calls it')
end
local caller = cmsgpack.unpack(by)
call('XDEL', key('audit', ac), '0-0')
call('XDEL', key('audit', 'rest', ac), '0-0')
