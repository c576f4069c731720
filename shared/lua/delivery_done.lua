-- Records what became of one attempt.  An attempt that was recorded already,
-- by whoever took it over, is not counted twice.
-- KEYS[1] retry
-- ARGV    1 member  2 attempt  3 outcome: ok, retry, dead, gone (410: the
--         receiver is disabled)  4 ms until the next attempt (retry)
--         5 HTTP status or 0  6 error text
-- Result  OK | STALE
--- include: base
--- include: delivery
--- use: hook
local member = ARGV[1]
local ac, ev, target = string.match(member, '^(%w+):(%w+):(%w+)$')
local dk = key('dlv', ac, ev, target)
if call('HGET', dk, 'attempt') ~= ARGV[2] then
    return {'STALE'}
end
local now = now_ms()
if ARGV[3] == 'retry' then
    call('HSET', dk, 'attempt', ARGV[2] + 1, 'status', ARGV[5],
        'error', ARGV[6])
    call('ZADD', KEYS[1], now + ARGV[4], member)
    return {'OK'}
end
if ARGV[3] ~= 'ok' then
    delivery_dead(ac, ev, target, ARGV[5], ARGV[6], ARGV[2] + 1)
end
if ARGV[3] == 'gone' and target:sub(1, 2) == 'WH' then
    local hook = load(key('s', ac, target))
    if hook then
        hook[HOOK.status] = 'disabled'
        save(key('s', ac, target), hook)
    end
end
delivery_over(ac, ev, target, member)
return {'OK'}
