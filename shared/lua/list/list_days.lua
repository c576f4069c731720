-- Reads how many hosts of an account a list lists, now and on earlier days.
--- key: acct  acct:<AC>
--- arg: list  SID
--- reply: OK date# hosts# coverage trends begun[]  date: days since 1970, of
--          today.  coverage, trends: as they are stored, or "".  begun:
--          listings that began today, on the day before, and so on for seven
--          days
--- reply: LIST  there is none
--- include: account
local date, begun = math.floor(now_ms() / 86400000), {}
if call('EXISTS', key('r', 'SYS', ARG.list), key('r', ac, ARG.list)) == 0 then
    return {'LIST'}
end
for i = 0, 6 do
    begun[i + 1] = tonumber(call('HGET', key('newly', ac, date - i), ARG.list)
        or nil) or 0
end
return {'OK', date, tonumber(call('HGET', key('refs', ac), ARG.list .. ':h')
    or nil) or 0, call('GET', key('coverage', ac)) or '',
    call('GET', key('trends', ac)) or '', begun}
