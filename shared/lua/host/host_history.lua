-- Reads when lists began and ceased to list a host, the newest first.
--- key: acct  acct:<AC>
--- arg: host  SID
--- arg: most  entries
--- reply: OK entries[]  of hist:<AC>:<HT>
--- reply: HOST  no such host
--- include: account
if not owns('hosts', ARG.host) then
    return {'HOST'}
end
return {'OK', call('XREVRANGE', key('hist', ac, ARG.host), '+', '-', 'COUNT',
    ARG.most)}
