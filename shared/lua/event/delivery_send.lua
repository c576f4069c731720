-- Notes that a delivery is about to be sent to a service that does not
-- recognize a repeat: a request without an answer may have arrived, even if its
-- daemon died.  delivery_done removes the note when the outcome is known.
--- key: retry
--- arg: member  of retry: "<AC>:<EV>:<target>"
--- arg: attempt  its number, 0 = first
--- reply: OK sent#  how often it may have arrived with this time
--- reply: STALE
local ac, ev, target = string.match(ARG.member, '^(%w+):(%w+):(%w+)$')
local dk = key('dlv', ac, ev, target)
if call('HGET', dk, 'attempt') ~= ARG.attempt then
    return {'STALE'}
end
return {'OK', call('HINCRBY', dk, 'sent', 1)}
