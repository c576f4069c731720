-- Puts an account without a bill on a plan, whose price does not count.  The
-- account keeps objects beyond the plan's limits; the limits refuse new ones.
-- A request of operators (request_take.lua) is carried out once, also if a
-- daemon is killed before it has noted that.
--- key: acct  acct:<AC>
--- arg: plan
--- arg: paid
--- arg: hosts  how many at most
--- arg: contacts  how many at most
--- arg: checks  how many a day at most
--- arg: shortest  interval (s)
--- arg: request  id of the request of operators, or "": see below
--- audit
--- reply: OK hosts# contacts#  how many there are
--- reply: ACCOUNT  there is none
--- reply: BILL plan  it pays for a plan, and would go on paying for it
--- include: account_of
--- include: plan
local function counts()
    return {'OK', call('ZCARD', key('hosts', ac)),
        call('ZCARD', key('contacts', ac))}
end
if ARG.request ~= '' and call('GET', key('planned', ac)) == ARG.request then
    by = nil
    return counts()
end
local b = load(key('bill', ac))
if b then
    return {'BILL', b[BILL.plan]}
end
plan_set(a, ARG.plan, ARG.paid, ARG.hosts, ARG.contacts, ARG.checks,
    ARG.shortest)
account_save(a)
if ARG.request ~= '' then
    call('SET', key('planned', ac), ARG.request, 'PX', 86400000)
end
return counts()
