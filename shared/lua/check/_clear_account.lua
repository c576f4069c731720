-- Steps of check_clear: schedules the hosts of the account whose checks have
-- ended, if there is one, and begins with the account of check i, if there is
-- one: what belongs to it is in `raws` behind k.
--- takes: ac accounts base i k last meter n n_times noted raws times
--- sets: ac coverage k last mark_before meter n_times times
if n_times > 0 then
    call('ZADD', base .. 'due:' .. ac, unpack(times))
    if noted ~= last then
        call('SET', base .. 'checked:' .. ac, noted)
    end
    if meter then
        local paid = n_times / 2
        --- include: charge
    end
end
if i <= n then
    ac, times, n_times = accounts[i], {}, 0
    last, meter = raws[k + 2], raws[k + 3]
    coverage, mark_before = nil, nil
    local interval = ARGV[ARG.interval + ARG.each * i]
    --- include: checked
    if raws[k + 1] then
        --- include: unchanged
        hosts_change()
    end
    k = k + 3
end
