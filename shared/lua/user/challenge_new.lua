-- Keeps the challenge of a sign-in by passkey for five minutes.
--- key: challenge  challenge:<64 hex>, in the partition of the network
--- arg: network  of the client, in hex
--- arg: most  challenges an hour for it
--- reply: OK
--- reply: LATER seconds#
--- include: hourly
local now = now_ms()
local later = hourly(key('begun', ARG.network), tonumber(ARG.most), now)
if later then
    return {'LATER', later}
end
call('SET', KEY.challenge, now, 'PX', 300000)
return {'OK'}
