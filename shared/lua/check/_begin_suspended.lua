-- Steps of check_begin: the account is suspended, and the check is not done.
--- takes: a flight h hk ht mark member now status
--- include: unchanged
if not due or status or mark ~= ':' then
    fail('The account is suspended.')
end
if h then
    call('HDEL', flight, member)
end
--- include: stopped
if h and h[HOST.status] == 'active' and not lapse_stops(a, ht) then
    h[HOST.next_check] = next_time(ht, now, a[ACCOUNT.interval])
    hosts_change()
    save(hk, h)
    due_at(ht, h[HOST.next_check])
elseif h then
    due_never(ht)
end
