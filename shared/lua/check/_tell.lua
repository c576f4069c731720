-- Puts a host whose check has ended into the digests of the contacts that hear
-- of it.  every_check: each check; while_listed: each that finds it listed;
-- start_and_end: it got onto a list (started), or is on none any more (ended).
--- include: notify
-- For a mark that waits: what comes of it and of one after it.
local function tell_later(ht, groups, first, last, mark)
    notify_note(ht, function(op)
        op[2][notify_set(op, groups)] = 1
        for class = first, last do
            local was = op[3][class]
            op[3][class] = mark >= digest_clear and was > 0
                and math.min(was, mark) or mark
        end
    end)
end
local function tell(ht, groups, listed, started, ended, now)
    if not started and not ended and not hears_any(listed) or #groups == 0 then
        return
    end
    local first = (started or ended) and hears_start_and_end
        or hears_every_check
    local last = listed and hears_while_listed or ended and hears_while_open
        or hears_every_check
    local mark = now + (listed and 0 or ended and digest_delisted
        or digest_clear)
    local turns = {}
    local all = not notify_waits(ht)
        and notify_some(groups, first, last, notify_at_once)
    if not all then
        return tell_later(ht, groups, first, last, mark)
    end
    for _, co in ipairs(all) do
        notify_mark(turns, co, ht, mark, now)
    end
    notify_turns(turns)
end
