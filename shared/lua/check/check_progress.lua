-- Writes the counters of a running check, unless its record is gone.
--- key: acct  acct:<AC>
--- arg: check  its SID
--- arg: checked  lists answered
--- arg: listed
--- arg: unknown
--- reply: OK
--- reply: GONE
--- include: account
local ck = key('check', ac, ARG.check)
if call('HGET', ck, 'status') ~= 'running' then
    return {'GONE'}
end
call('HSET', ck, 'checked', ARG.checked, 'listed', ARG.listed, 'unknown',
    ARG.unknown)
return {'OK'}
