-- The values that an account takes from its plan, after what its users want.
-- An interval that the account chose, longer than its plan's, stays unless the
-- new plan's is longer still.
--- include: account_save
--- include: wanted
local function plan_set(a, plan, paid, hosts, contacts, checks, least)
    wanted_take(a)
    local shortest, was = tonumber(least), a[ACCOUNT.min_interval]
    local chosen = was > 0 and a[ACCOUNT.interval] > was and a[ACCOUNT.interval]
        or shortest
    a[ACCOUNT.plan], a[ACCOUNT.paid] = plan, tonumber(paid)
    a[ACCOUNT.max_hosts] = tonumber(hosts)
    a[ACCOUNT.max_contacts] = tonumber(contacts)
    a[ACCOUNT.max_checks] = tonumber(checks)
    a[ACCOUNT.interval] = math.max(chosen, shortest)
    a[ACCOUNT.min_interval] = shortest
end
