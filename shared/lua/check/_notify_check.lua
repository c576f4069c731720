-- Puts a host whose check has finished into the digests of contacts.  Contacts
-- with every_check are notified of each check, with while_listed of each that
-- finds the host listed, with start_and_end if there is news of its listings
-- (check_finish.lua), or it has lost the last one (ended).  An end is marked
-- for all: it ends what a contact with while_listed knows, too (_states.lua).
--- include: notify
-- For a mark that waits: combines it with the one before.
local function notify_check_later(ht, groups, first, last, mark)
    notify_note(ht, function(op)
        op[2][notify_set(op, groups)] = 1
        for class = first, last do
            local was = op[3][class]
            op[3][class] = mark >= digest_clear and was > 0
                and math.min(was, mark) or mark
        end
    end)
end
local function notify_check(ht, groups, listed, news, ended, now)
    if not news and not ended and not hears_any(listed) or #groups == 0 then
        return
    end
    local first = (news or ended) and hears_start_and_end
        or hears_every_check
    local last = (listed or ended) and hears_while_listed or hears_every_check
    local mark = now + (listed and 0 or ended and digest_delisted
        or digest_clear)
    local turns = {}
    local all = not notify_waits(ht)
        and notify_some(groups, first, last, notify_at_once)
    if not all then
        return notify_check_later(ht, groups, first, last, mark)
    end
    for _, co in ipairs(all) do
        notify_mark(turns, co, ht, mark, now)
    end
    notify_turns(turns)
end
