-- The queues of a partition: a function for each, by its name in
-- _fsck_names.lua.  `ac` is the account of the entry.
--- include: fsck_jobs
--- include: unpaid
local look = {}
local now = now_ms()
-- A day and a fifth (backoff.h), and the lease of an attempt.
local longest_retry = 2 * 86400000
local function status_of(pp)
    return call('HGET', key('check', ac, pp), 'status')
end
-- An entry that waits for longer than possible was written when the clock was
-- ahead.
local function not_later(index, member, where, wait)
    local at = tonumber(call('ZSCORE', key(index), member))
    if at and at > now + wait then
        fault('late', where, 'waits in ' .. index .. ' for too long',
            command('ZADD', key(index), now, member))
    end
end
function look.flight(member)
    local flight = key('flight')
    local pp, ht = call('HGET', flight, member), member:sub(36)
    if not pp then
        return
    end
    local function over()
        call('HDEL', flight, member)
        due_again(ht)
    end
    local status = status_of(pp)
    if not owns('hosts', ht) then
        fault('flight', ht, 'has a check, but there is no such host', over)
    elseif status == 'completed' or status == 'failed' then
        fault('flight', ht, 'its check is over: ' .. pp, over)
    elseif not has_job(pp, ht) then
        fault('flight', ht, 'its check is lost: ' .. pp, function()
            if status then
                queue(pp, ht)
            else
                over()
            end
        end)
    end
end
look['flight:due'] = function(member)
    local flight, ht = key('flight:due'), member:sub(36)
    local begun = call('HGET', flight, member)
    if not begun then
        return
    end
    if not owns('hosts', ht) then
        fault('flight', ht, 'has a check, but there is no such host',
            command('HDEL', flight, member))
    elseif #begun < 70
        or not string.find(begun:sub(67), '^[:+]%d:%d+:.')
    then
        fault('flight', ht, 'its check cannot be read', function()
            call('HDEL', flight, member)
            due_again(ht)
        end)
    elseif not call('ZSCORE', key('due', ac), ht) then
        fault('flight', ht, 'its check has no end: ' .. begun:sub(1, 66),
            function() due_at(ht, now) end)
    end
end
-- The lease of a finished check stays until its daemon asks or another daemon
-- claims the check; long after its end there is no such daemon.
function look.leases(handle)
    local till = tonumber(call('ZSCORE', key('leases'), handle))
    local pp = string.match(handle, '^AC%x+:(PP%x+):%w*:m:%d+:.')
    if not till then
        return
    end
    local status = pp and status_of(pp)
    if not pp or till < now - 60000 and status ~= 'queued'
        and status ~= 'running'
    then
        fault('lease', pp or 'leases', 'is the lease of nothing',
            command('ZREM', key('leases'), handle))
    else
        not_later('leases', handle, pp, longest_lease)
    end
end
-- What an account in an index of turns must have, and how long the turn may
-- wait.  A turn of a bill is also for payment sources that were removed.  The
-- turn of `settle` is at the end of the day, if no change of nginx waits for an
-- hour.
local turns = {due = {}, manual = {'manual'}, works = {'work', 60000},
    settle = {nil, 86460000}, tellings = {'telling', longest_lease},
    billdue = {'bill'}, paydue = {'bill'}}
-- A weekly message and the next check of a host are due before that.
local longest_wait = 32 * 86400000
for index, of in pairs(turns) do
    look[index] = function(member)
        if call('ZSCORE', key(index), member)
            and (member ~= ac or call('EXISTS', key('acct', ac)) == 0
                or of[1] == 'bill' and call('EXISTS', key('bill', ac),
                    key('setup', ac, 'gone')) == 0
                or of[1] and of[1] ~= 'bill'
                    and call('EXISTS', key(of[1], ac)) == 0)
        then
            fault('turn', index, 'has a turn for nothing',
                command('ZREM', key(index), member))
        end
        if of[2] then
            not_later(index, ac, index, of[2])
        end
    end
end
function look.siblings(member)
    -- The entry of a deleted range goes with its turn (_siblings.lua).
    if not string.match(member, '^AC%x+:HT%x+$') then
        fault('siblings', 'siblings', 'is no range, and is to be checked',
            command('ZREM', key('siblings'), member))
    end
end
function look.unmutes(member)
    local mu = string.match(member, '^AC%x+:(MU%x+)$')
    local at = tonumber(call('ZSCORE', key('unmutes'), member) or nil)
    if not at or mu and owns('mutes', mu) then
        return
    elseif not mu or call('EXISTS', key('acct', ac)) == 0 then
        fault('turn', 'unmutes', 'has a turn for nothing',
            command('ZREM', key('unmutes'), member))
    elseif at > now then
        fault('turn', 'unmutes', 'waits for the end of a mute that is gone',
            command('ZADD', key('unmutes'), 0, member))
    end
end
function look.retry(member)
    local ev, target = string.match(member, '^AC%x+:(%w+):(%w+)$')
    if call('ZSCORE', key('retry'), member)
        and not (ev and call('EXISTS', key('dlv', ac, ev, target)) == 1)
    then
        fault('retry', ev or 'retry', 'is to be tried, and is no delivery',
            command('ZREM', key('retry'), member))
    else
        not_later('retry', member, ev, longest_retry)
    end
end
for index, longest in pairs({digests = longest_lease, later = longest_wait}) do
    look[index] = function(member)
        local co = string.match(member, '^AC%x+:(CO%x+)$')
        if call('ZSCORE', key(index), member)
            and not (co and call('EXISTS', key('digest', ac, co),
                key('batch', ac, co), key('making', ac, co)) > 0)
        then
            fault('digest', co or index, 'is to be told, and is nothing',
                command('ZREM', key(index), member))
        else
            not_later(index, member, co, longest)
        end
    end
end
for _, state in ipairs(payment_states) do
    local index = 'unpaid:' .. state
    look[index] = function(member)
        local py = member:sub(36)
        local p = read(key('pay', ac, py), 'PAYMENT')
        if not p or payment_state(p) ~= state then
            fault('unpaid', py, 'is not ' .. state,
                command('ZREM', key(index), member))
        end
    end
end
