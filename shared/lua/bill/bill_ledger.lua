-- Shows movements of an account's money, the newest first.
--- key: acct  acct:<AC>
--- arg: before  id of a movement, which is left out; "": from the newest on
--- arg: most
--- reply: OK entries[]  of the stream
--- reply: ACCOUNT  there is none
--- include: exists
return {'OK', call('XREVRANGE', key('ledger', ac),
    ARG.before == '' and '+' or '(' .. ARG.before, '-', 'COUNT', ARG.most)}
