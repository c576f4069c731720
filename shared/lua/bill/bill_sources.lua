-- Shows the payment sources of an account, also without a bill.
--- key: acct  acct:<AC>
--- reply: OK setup sources[]  records: the source that is being added ("":
---          none), and at most 20 sources
--- reply: ACCOUNT  there is none
--- include: exists
--- include: sources
return {'OK', call('GET', key('setup', ac)) or '', sources}
