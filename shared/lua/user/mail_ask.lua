-- Counts a request for links by mail, of an address or of a network, within an
-- hour; and finds the users that may have the address.
--- key: asked  asked:<hash>
--- arg: most  in an hour
--- reply: OK users[]  five at most: "<AC>:<US>" and when it was added (ms), in
--          turns
--- reply: LATER seconds#  until the next one
--- include: hourly
local now = now_ms()
local n, since = hourly(KEY.asked, now)
if n >= tonumber(ARG.most) then
    return {'LATER', math.ceil((since + hour - now) / 1000)}
end
hourly_add(KEY.asked, n, since, now)
return {'OK', call('ZRANGE', key('mail', KEY.asked:match('%x+$')), 0, 4,
    'WITHSCORES')}
