-- The digest of a contact, a sorted set, has what the contact has to be
-- notified of.  A host whose check has finished has a mark, its SID: the score
-- is the outcome, times 2^42, plus the time.  The last mark of a host counts; a
-- host that is and was clear has none.  A look is a host that the contact may
-- have got or lost: "?<HT>" (a range: its addresses), "?<HT>|<address>|<name>"
-- of a deleted one; "*" is everything in "open", from a cursor on if one
-- follows.  The score of a look has its time.  "+<HT>" is a look that is not
-- due before that, at a listing that is too new for the contact, or a host that
-- flaps (_tells.lua); "+" has all of these done now.
--
-- "open" has the hosts that the contact was last notified are listed, by their
-- SIDs: "<time of the mark>|<address>|<name>".  If such a host is no longer
-- listed, or no longer the contact's, the contact is notified of that once, or
-- only forgets it (while_listed).  Nothing else is an end for the contact.
-- "storm" is the event of an alert for many hosts (pagerduty).
--
-- When its window is over the digest becomes "making", where "?<HT>+<n>"
-- is a range from that address on, and "~" what was held back (_tells.lua),
-- from a cursor on if one follows.  Its marks and looks become states
-- (_states.lua) in "batch", by their SIDs with the same scores; a host that the
-- contact has lost has its address and name in "open".  When "batch" is
-- complete the SID of the event is its first member (-1); once the messages are
-- stored that is "+" and the SID (-2), until "open" is written (_known.lua).
-- The contact is in "digests", by the time of the first mark, or of the next
-- look, as long as it has any of these; or in "later", if there is nothing to
-- do before that time (ms).  "when" is from when on the next message may go: a
-- daemon finds it by the contact's rhythm and quiet hours (digest_when.lua).
local digest_state = 4398046511104
local digest_delisted, digest_clear = digest_state, 2 * digest_state
local digest_unreported = 3 * digest_state
local digest_look = digest_unreported   -- in a digest: what to look at
-- How many hosts are one message; more wait for the next.
local digest_most = 2000
-- Has the contact a message for each host, an alert that is to end?
local function digest_per_host_of(c)
    return c[CONTACT.type] == 'pagerduty'
end
-- More hosts that are listed at once have one alert there.
local digest_per_host = 25
-- Such a contact is notified of ends by any schedule.
local function digest_hears_ends(c)
    return c[CONTACT.schedule] ~= 'while_listed' or digest_per_host_of(c)
end
-- Does it hear changes, which are held back while a host flaps (_tells.lua)?
local function digest_holds(c)
    return c[CONTACT.schedule] == 'start_and_end' or digest_per_host_of(c)
end
-- Has the host been listed by one of its lists after this time, or has the
-- weight of a listing risen?
local function listed_since(details, at)
    for _, l in ipairs(details) do
        if l[LISTING.since] > at or (l[LISTING.risen] or 0) > at then
            return true
        end
    end
    return false
end
-- When the first look of a digest is due (ms), if it has nothing to do before.
local function digest_later(digest, now)
    local first = call('ZRANGE', digest, 0, 0, 'WITHSCORES')
    local at = first[2] and tonumber(first[2]) - digest_look
    return at and at > now and at
end
-- Not all at once: the stack of a script has its bounds.  option: of ZADD.
local function in_parts(command, k, of, option)
    for i = 1, #of, 500 do
        local last = math.min(i + 499, #of)
        if option then
            call(command, k, option, unpack(of, i, last))
        else
            call(command, k, unpack(of, i, last))
        end
    end
end
