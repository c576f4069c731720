-- Counts the hosts of an account by their state, and the listed ones by the
-- weight of their heaviest listing.
--- key: acct  acct:<AC>
--- reply: OK hosts# others# listed# unknown# uncovered# paused# weights[]
--          hosts: all; others: those that are not clear, and ranges; then hosts
--          in each state; weights: hosts by weight, from info to critical
--- include: account
--- include: state
local function of(state)
    return call('ZCOUNT', key('states', ac), state_score(state, 0),
        '(' .. state_score(state + 1, 0))
end
return {'OK', call('ZCARD', key('hosts', ac)), call('ZCARD', key('states', ac)),
    of(state_listed), of(state_unknown), of(state_uncovered), of(state_paused),
    call('HMGET', key('refs', ac), 'w1', 'w2', 'w3', 'w4')}
