-- Asks for what an account may choose.  nginx runs this, and may not write the
-- account's record: a daemon carries it out (account_settle.lua).
--- key: acct  acct:<AC>
--- arg: name  or "": as it is; likewise the others
--- arg: timezone  name of the zone
--- arg: interval  between the checks of a host (s)
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- reply: SHORT shortest#  the plan's (s)
--- include: settle
--- include: choose
local failed = settle_at(now_ms())
if failed then
    return failed
end
save(key('wanted', ac), w)
return {'OK'}
