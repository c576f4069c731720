-- Who calls an audited script is its last argument, behind those that it
-- declares (rbl_audit.h).  Where an entry could not be written, the script ends
-- before it has changed anything: Redis undoes nothing.
--- include: account
local by = table.remove(ARGV)
if not by or by:sub(1, 2) ~= '\151\1' then
    return redis.error_reply('ERR an audited script has to know who calls it')
end
local caller = cmsgpack.unpack(by)
-- A write here would end Redis' refusal of a script for want of memory.
call('XLEN', key('audit', ac))
call('XLEN', key('audit', 'rest', ac))
