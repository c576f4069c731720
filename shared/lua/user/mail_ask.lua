-- Counts a request for links by mail, of an address or of a network, within an
-- hour; and finds the users that may have the address.
--- key: asked  asked:<hash>
--- arg: most  in an hour
--- reply: OK users[]  five at most: "<AC>:<US>" and when it was added (ms), in
--          turns
--- reply: LATER seconds#  until the next one
--- include: hourly
local later = hourly(KEY.asked, tonumber(ARG.most), now_ms())
if later then
    return {'LATER', later}
end
return {'OK', call('ZRANGE', key('mail', KEY.asked:match('%x+$')), 0, 4,
    'WITHSCORES')}
