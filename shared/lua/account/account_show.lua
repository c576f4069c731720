-- Shows an account with its limits and their use.
--- key: acct  acct:<AC>
--- reply: OK record wanted chosen checks# hosts#  records; how many today, and
---          of what there is
---   contacts# listed# apps# hooks#
--- reply: ACCOUNT  there is none
--- include: account
local raw = call('GET', KEY.acct)
if not raw then
    return {'ACCOUNT'}
end
local function count(index)
    return call('ZCARD', key(index, ac))
end
return {'OK', raw, call('GET', key('wanted', ac)) or '',
    call('GET', key('chosen', ac)) or '',
    tonumber(call('GET', key('started', ac)) or 0), count('hosts'),
    count('contacts'), count('listed'), count('apps'), count('hooks')}
