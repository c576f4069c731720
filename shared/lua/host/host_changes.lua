-- Reads the last changes of the hosts of an account, the newest first.
--- key: acct  acct:<AC>
--- arg: most  entries
--- reply: OK entries[]  of changes:<AC>
--- include: account
return {'OK', call('XREVRANGE', key('changes', ac), '+', '-', 'COUNT',
    ARG.most)}
