-- Keeps the challenge of a sign-in by passkey for five minutes.
--- key: challenge  challenge:<64 hex>, in the partition of the network
--- arg: network  of the client, in hex
--- arg: most  challenges an hour for it
--- reply: OK
--- reply: LATER seconds#
--- include: hourly
local now, begun = now_ms(), key('begun', ARG.network)
local n, since = hourly(begun, now)
if n >= tonumber(ARG.most) then
    return {'LATER', math.ceil((since + hour - now) / 1000)}
end
hourly_add(begun, n, since, now)
call('SET', KEY.challenge, now, 'PX', 300000)
return {'OK'}
