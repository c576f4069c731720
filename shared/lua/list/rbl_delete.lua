-- Deletes a custom list; it leaves the profiles that have it, which is work.
-- What it lists stands on the hosts until their next check, which does not ask
-- it.
-- KEYS[1] acct:<AC>
-- ARGV    1 list SID
-- Result  WORK, id of the work | RBL | SYSTEM (not a custom one) | BUSY
--- include: customs
local l, word = custom_list(ARGV[1])
if not l then
    return {word}
end
if work_busy() then
    return {'BUSY'}
end
return {'WORK', work_add('rbl_delete', {ARGV[1]})}
