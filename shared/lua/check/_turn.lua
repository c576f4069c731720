-- Steps: the check of a host has finished, and the host is due again at
-- `next_check` (as text: `at`).  Until now it was due at the end of the lease,
-- `till` (none: of a manual check).  The turn of the account is not later than
-- that, unless the lease is over and another daemon has the host, too.
--- takes: ac at base next_check now till
if not till or next_check < till or till <= now then
    call('ZADD', base .. 'due', 'LT', at, ac)
end
