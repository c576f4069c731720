-- Puts an account on a plan.  The account keeps objects beyond the plan's
-- limits; the limits refuse new ones.  An interval that the account chose,
-- longer than its plan's, stays unless the new plan's is longer still.
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
--- include: account_save
--- use: account
local a = load(KEY.acct)
if not a then
    return {'ACCOUNT'}
end
named = a[ACCOUNT.name]
local shortest, was = tonumber(ARG.shortest), a[ACCOUNT.min_interval] or 0
local chosen = was > 0 and a[ACCOUNT.interval] > was and a[ACCOUNT.interval]
    or shortest
a[ACCOUNT.plan], a[ACCOUNT.paid] = ARG.plan, tonumber(ARG.paid)
a[ACCOUNT.max_hosts] = tonumber(ARG.hosts)
a[ACCOUNT.max_contacts] = tonumber(ARG.contacts)
a[ACCOUNT.max_checks] = tonumber(ARG.checks)
a[ACCOUNT.interval] = math.max(chosen, shortest)
a[ACCOUNT.min_interval] = shortest
account_save(a)
return {'OK', call('ZCARD', key('hosts', ac)),
    call('ZCARD', key('contacts', ac))}
