-- What a contact is to be told waits in its digest, a sorted set of hosts.  The
-- score is what became of the host, times 2^42, plus the time: so the listed
-- come first, then the delisted, then those that were clear before, then those
-- that are not reported any more (_unreported.lua), each in their order.  Of a
-- host the last change counts, and that it is clear is none.
-- A digest that is being told is frozen under "batch", with the event's SID as
-- the first member (-1); the contact is in "digests", by the time of the first
-- host, or when it is to be looked at again, as long as it has one of both.
local digest_state = 4398046511104
local digest_delisted, digest_clear = digest_state, 2 * digest_state
local digest_unreported = 3 * digest_state
-- How many hosts a digest tells at most (MESSAGE_HOSTS).  Those of a range that
-- are not reported any more beyond so many are one member, "+<HT>", with their
-- number added to the score.
local digest_told, digest_rest = 200, 4 * digest_state - 65536
