-- Puts an account on a plan.  What it has beyond the plan's limits it keeps;
-- the limits refuse what is new.  An interval that the account chose, longer
-- than what its plan asked for, stays unless the new plan's is longer still.
-- KEYS[1] acct:<AC>
-- ARGV    1 plan  2 paid  3 max hosts  4 max contacts  5 max checks a day
--         6 shortest interval (s)
-- Result  OK, number of hosts, number of contacts | ACCOUNT (there is none)
--- include: account_save
--- use: account
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local shortest, was = tonumber(ARGV[6]), a[ACCOUNT.min_interval] or 0
local chosen = was > 0 and a[ACCOUNT.interval] > was and a[ACCOUNT.interval]
    or shortest
a[ACCOUNT.plan], a[ACCOUNT.paid] = ARGV[1], tonumber(ARGV[2])
a[ACCOUNT.max_hosts] = tonumber(ARGV[3])
a[ACCOUNT.max_contacts] = tonumber(ARGV[4])
a[ACCOUNT.max_checks] = tonumber(ARGV[5])
a[ACCOUNT.interval] = math.max(chosen, shortest)
a[ACCOUNT.min_interval] = shortest
account_save(a)
return {'OK', call('ZCARD', key('hosts', ac)),
    call('ZCARD', key('contacts', ac))}
