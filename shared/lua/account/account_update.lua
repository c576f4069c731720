-- Changes what an account may choose, for an operator, together with what its
-- users want.  Another interval takes effect for each host after its next
-- check.
--- key: acct  acct:<AC>
--- arg: name  or "": as it is; likewise the others
--- arg: timezone  name of the zone
--- arg: interval  between the checks of a host (s)
--- audit
--- reply: OK
--- reply: ACCOUNT  there is none
--- reply: SHORT shortest#  the plan's (s)
--- include: account_save
--- include: choose
wanted_apply(a, w)
account_save(a)
return {'OK'}
