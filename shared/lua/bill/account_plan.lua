-- Puts an account without a bill on a plan, whose price does not count.  The
-- account keeps objects beyond the plan's limits; the limits refuse new ones.
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
--- reply: BILL plan  it pays for a plan, and would go on paying for it
--- include: account_of
--- include: plan
local b = load(key('bill', ac))
if b then
    return {'BILL', b[BILL.plan]}
end
plan_set(a, ARG.plan, ARG.paid, ARG.hosts, ARG.contacts, ARG.checks,
    ARG.shortest)
account_save(a)
return {'OK', call('ZCARD', key('hosts', ac)),
    call('ZCARD', key('contacts', ac))}
