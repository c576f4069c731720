-- Notes that a delivery is about to be sent to a service that cannot tell a
-- repeat: what is sent and never answered may have arrived, even if its daemon
-- died.  delivery_done takes the note back when the outcome is known.
-- KEYS[1] retry
-- ARGV    1 member  2 attempt
-- Result  OK, how often it may have arrived with this time | STALE
--- include: base
local ac, ev, target = string.match(ARGV[1], '^(%w+):(%w+):(%w+)$')
local dk = key('dlv', ac, ev, target)
if call('HGET', dk, 'attempt') ~= ARGV[2] then
    return {'STALE'}
end
return {'OK', call('HINCRBY', dk, 'sent', 1)}
