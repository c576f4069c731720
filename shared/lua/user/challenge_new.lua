-- Keeps the challenge of a sign-in by passkey for five minutes.
--- key: challenge  challenge:<64 hex>, in partition 0
--- arg: network  of the client, in hex
--- arg: most  challenges an hour for it
--- reply: OK
--- reply: LATER seconds#
--- include: base
local hour = 3600000
local begun = key('begun', ARG.network)
if tonumber(call('GET', begun) or 0) >= tonumber(ARG.most) then
    return {'LATER', math.ceil(math.max(call('PTTL', begun), 1000) / 1000)}
end
if call('INCR', begun) == 1 then
    call('PEXPIRE', begun, hour)
end
call('SET', KEY.challenge, '-', 'PX', 300000)
return {'OK'}
