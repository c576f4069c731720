-- The end of an audited script (generate.pl): once the change is made, or
-- accepted as work, it is in the account's audit log.  A script that has set
-- `by` to nil has changed nothing.
-- The log is two streams, so that changes of what is monitored, which programs
-- make, never push out those of users, rights and money, and none by operators.
-- The first ten times within an hour that a caller changes a thing by a call
-- are ten entries; the following times are one, the last, with their number.
-- After 200 entries about rights within an hour by the account's own users, the
-- following ones of each call are one: the history of an account outlives a
-- user who makes many changes, also as many users.
-- After that hour a daemon moves them to streams that nginx can only read
-- (account_settle.lua).
--- include: settle
local audit_most, audit_apart, audit_hour = 2000, 10, 3600000
local audit_own = 200
local audit_rest = {HT = 1, CO = 1, CG = 1, RP = 1, RB = 1,
    MU = 1}
local function audit_add(log, again, own)
    local what, apart = table.concat({caller[BY.who], caller[BY.from],
        caller[BY.call], about}, ' '), audit_apart
    if own and (tonumber(redis.pcall('HGET', again, '#')) or 0) >= audit_own
    then
        what, apart = '* ' .. caller[BY.call], 0
    end
    local known = redis.pcall('HLEN', again)
    local times = type(known) == 'number' and known < audit_most
        and redis.pcall('HINCRBY', again, what, 1)
    if known == 0 then
        call('PEXPIRE', again, audit_hour)
    end
    local more = type(times) == 'number' and times - apart or 0
    if more > 1 then
        redis.pcall('XDEL', log, call('HGET', again, '!' .. what) or '0-0')
    end
    local entry = {'b', by, 't', about, 'n',
        type(named) == 'string' and named or ''}
    if more > 1 then
        entry[7], entry[8] = 'c', more
    elseif own then
        redis.pcall('HINCRBY', again, '#', 1)
    end
    local id = call('XADD', log, 'MAXLEN', '~', audit_most, '*', unpack(entry))
    if more > 0 then
        call('HSET', again, '!' .. what, id)
    end
    settle_at(now_ms() + audit_hour)
end
if by and (said[1] == 'OK' or said[1] == 'WORK') then
    local of_account = caller[BY.account] == ''
    local rest = audit_rest[about:sub(1, 2)] and of_account
        and not ac:find('^AC0+$')
    local name = rest and 'audit:rest' or 'audit'
    audit_add(key(name, ac), key(name .. ':again', ac),
        of_account and not rest and caller[BY.who] ~= 'rblctl')
end
return said
