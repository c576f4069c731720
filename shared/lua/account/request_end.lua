-- Ends a request of operators, which is done, or refused with a reason, expired
-- or failed.  The last ones that have ended are kept.
--- key: acct  acct:<AC> of the operators
--- arg: account  SID of the account that is meant
--- arg: id
--- arg: state  done, refused, expired or failed
--- arg: why  or ""
--- audit: account
--- reply: OK
--- reply: GONE  it has ended
--- include: account
local kept = 50
local raw = call('HGET', key('requests', ac), ARG.id)
if not raw then
    return {'GONE'}
end
local ok, r = pcall(cmsgpack.unpack, raw)
if ok and type(r) == 'table' then
    local kind = r[REQUEST.kind]
    named = kind == 'account' and r[REQUEST.name] or kind == 'owner'
        and r[REQUEST.mail] or r[REQUEST.plan]
    r[REQUEST.state], r[REQUEST.why] = ARG.state, ARG.why
    r[REQUEST.ended], r[REQUEST.field], r[REQUEST.digest] = now_ms(), '', ''
    local done = key('ended', ac)
    call('RPUSH', done, cmsgpack.pack(r))
    call('LTRIM', done, -kept, -1)
end
call('HDEL', key('requests', ac), ARG.id)
return {'OK'}
