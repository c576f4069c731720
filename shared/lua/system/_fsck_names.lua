-- Names and types of the keys of the store (rbl_keys.h).
--- include: fsck
-- Those of accounts, with "/" and the number of parts behind the account.  Of
-- type "any" are keys that expire.
local names = ' acct=string chosen=string wanted=string totals=string'
    .. ' checked=string coverage=string seq=string started=string refs=hash'
    .. ' dead=stream changes=stream audit=stream audit:rest=stream past=stream'
    .. ' past:rest=stream audit:again=hash audit:rest:again=hash bill=string'
    .. ' terms=string money=hash meter=string ledger=stream payments=zset'
    .. ' sources=zset setup=string work=list rbls=zset profiles=zset'
    .. ' groups=zset apps=zset hooks=zset users=zset contacts=zset hosts=zset'
    .. ' uniq=hash listed=zset states=zset find=zset due=zset tokens=hash'
    .. ' manual=list details=zset hears=zset telling=hash pending=zset'
    .. ' daemon=any unchanged=any'
    .. ' r/1=string s/1=string user/1=string keys/1=hash session/1=string'
    .. ' token/1=string pay/1=string source/1=string kids/1=zset hist/1=stream'
    .. ' check/1=hash check/2=hash hears/1=zset digest/1=zset batch/1=zset'
    .. ' making/1=zset open/1=hash ends/1=hash line/1=list dlv/2=hash'
    .. ' rate/1=string large/1=string work/1=list event/1=hash'
    .. ' sessions/1=any link/1=any links/1=any visit/1=any challenge/1=any'
    .. ' setup/1=any pace/1=any sent/1=any stats/2=any errors/1=any log/1=any'
    .. ' hook/1=any '
local partition_names = ' accounts=zset flight=hash flight:due=hash leases=zset'
    .. ' due=zset manual=zset retry=zset digests=zset works=zset settle=zset'
    .. ' tellings=zset billdue=zset paydue=zset '
local function type_named(name)
    local _, at = string.find(names, ' ' .. name .. '=', 1, true)
    return at and string.match(names, '^%l+', at + 1)
end
-- Looks at the types of the keys that an account has once, or without one the
-- partition.  True if all are right now.  advice: to the operator, who has to
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
