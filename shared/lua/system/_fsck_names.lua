-- Names and types of the keys of the store (rbl_keys.h).
--- include: fsck
-- Those of accounts, with "/" and the number of parts behind the account.  Keys
-- of type "any" expire.
local names = ' ' .. STORE.keys .. ' '
-- The queues of a partition, in the order in which fsck_jobs looks at them.
local partition_names = ' accounts=zset flight=hash flight:due=hash leases=zset'
    .. ' due=zset manual=zset retry=zset digests=zset later=zset works=zset'
    .. ' settle=zset wait=string plans=string tellings=zset siblings=zset'
    .. ' unmutes=zset billdue=zset paydue=zset unpaid:open=zset'
    .. ' unpaid:sent=zset unpaid:processing=zset unpaid:customer=zset'
    .. ' unpaid:unknown=zset'
    .. ' unpaid:operator=zset unpaid:failed=zset '
local function type_named(name)
    local _, at = string.find(names, ' ' .. name .. '=', 1, true)
    return at and string.match(names, '^%l+', at + 1)
end
-- Checks the types of the keys that an account, or without one the partition,
-- has once.  True if all are right now.  advice: for the operator, who has to
-- repair them.
local function look_at_types(of, account, advice)
    local right = true
    for name, wanted in string.gmatch(of, ' ([%l:]+)=(%l+)') do
        name = account and name .. ':' .. account or name
        local k = base .. name
        local t = wanted ~= 'any' and type_of(k) or 'none'
        if t ~= 'none' and t ~= wanted then
            fault('type', name, 'is a ' .. t .. ', not a ' .. wanted
                .. (advice or ''), not advice and command('DEL', k))
            right = mend
        end
    end
    return right
end
