-- Steps: the check of a host has finished, and the host is due again at the
-- time `at` (text).  Until now it was due at the end of the lease, `till`
-- (text; none: of a manual check).  The turn of the account is not later than
-- `at`, unless the lease is over and another daemon has the host, too.
if not till or at < till or till <= tostring(now) then
    call('ZADD', base .. 'due', 'LT', at, ac)
end
