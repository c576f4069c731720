-- Shows accounts of a partition, with their numbers of hosts and of listed
-- hosts: a page, or one.
--- key: accounts
--- arg: id  SID of the only one; "": the page
--- arg: first  rank
--- arg: last  rank
--- reply: OK accounts[]
--- row: account id record hosts# listed#  packed
local accounts = {}
for _, ac in ipairs(ARG.id ~= '' and {ARG.id}
    or call('ZRANGE', KEY.accounts, ARG.first, ARG.last))
do
    local raw = call('GET', key('acct', ac))
    if raw then
        accounts[#accounts + 1] = {ac, raw, call('ZCARD', key('hosts', ac)),
            call('ZCARD', key('listed', ac))}
    end
end
return {'OK', accounts}
