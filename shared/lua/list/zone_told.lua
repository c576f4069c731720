-- Stores evidence of a daemon about the zone of a list, for the fleet and for
-- the daemon itself after a restart.
--- key: zone  zone:<zone>
--- arg: family
--- arg: ttl  (s) of a response that listed a random name; 0: there was none
--- arg: entry  1: it has its test entry although it need not; 0: nothing
--- arg: soa  labels of the owner of its SOA record, if it has no test entry; 0:
--          nothing
--- reply: OK
--- include: zone
local family, ttl = ARG.family, num(ARG.ttl)
if ttl > 0 then
    local most = lied(family)
    set('lied ' .. family, digits(math.max(ttl, most / 1000)) .. ' '
        .. digits(now))
end
if ARG.entry == '1' then
    set('entry ' .. family, '1 ' .. digits(now))
end
local soa = num(ARG.soa)
if soa > 0 and soa >= lately('soa ' .. family) then
    set('soa ' .. family, digits(soa) .. ' ' .. digits(now))
end
call('PEXPIRE', KEY.zone, digits(KEEP))
return {'OK'}
