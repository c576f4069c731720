-- Shows payments of a partition that are not done: a page of those in one
-- state.
--- key: accounts  of the partition
--- arg: state
--- arg: first  rank
--- arg: last  rank
--- reply: OK total# payments[]
--- row: payment id account bill payment  id: of the account; records, which may
--          be ""
local unpaid, payments = key('unpaid', ARG.state), {}
for _, member in ipairs(call('ZRANGE', unpaid, ARG.first, ARG.last)) do
    local ac, py = string.match(member, '^(%w+):(%w+)$')
    payments[#payments + 1] = ac and {ac, call('GET', key('acct', ac)) or '',
        call('GET', key('bill', ac)) or '', call('GET', key('pay', ac, py))
        or ''} or nil
end
return {'OK', call('ZCARD', unpaid), payments}
