-- Puts an account on a plan.  The account keeps objects beyond the plan's
-- limits; the limits refuse new ones.
--- key: acct  acct:<AC>
--- arg: plan
--- arg: paid
--- arg: hosts  how many at most
--- arg: contacts  how many at most
--- arg: checks  how many a day at most
--- arg: shortest  interval (s)
--- audit
--- reply: OK hosts# contacts#  how many there are
--- reply: ACCOUNT  there is none
--- include: plan
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
named = a[ACCOUNT.name]
plan_set(a, ARG.plan, ARG.paid, ARG.hosts, ARG.contacts, ARG.checks,
    ARG.shortest)
account_save(a)
return {'OK', call('ZCARD', key('hosts', ac)),
    call('ZCARD', key('contacts', ac))}
