-- Steps of check_clear: ends a check, `flight`, of the host `ht`, whose record
-- `raw` is at `hk`.  Sets `at`, its next time (text), and `range`, its parent;
-- at is nil: the check does not end here.
--- takes: answers asks asks_before checked flight from hk ht interval listed
--- takes: mark mark_before noted now parent place raw rest state_unknown status
--- takes: to unknown
--- sets: asks_before at mark_before range raw rest to
repeat
    --- include: host_fields
    local details, troubled, uncovered, stopped, tag = raw:byte(to + 1, to + 5)
    if status ~= 'active' or listed ~= 0 or details ~= 144
        or (troubled or 144) ~= 144 or uncovered == 1 or (stopped or 0) ~= 0
        or tag and tag ~= 217 and (tag < 160 or tag > 191)
    then
        break
    end
    --- include: coverage_mark
    if asks ~= '' and mark ~= mark_before
        and not string.find(noted, mark, 14, true)
    then
        --- include: coverage_class
        if not place then
            break
        end
        --- include: coverage_note
    end
    mark_before = mark
    if asks ~= asks_before and #asks == 16 then
        -- As below, in one step: all lists gave an answer.
        rest = struct.pack('>BBBBBBI3', 144, 144, 0, 0, 164, now % 256,
            tonumber(asks:sub(1, 6), 16))
    elseif asks ~= asks_before then
        --- include: answers
        rest = '\144\144\0\0' .. cmsgpack.pack(answers)
    end
    asks_before = asks
    if unknown > 0 or checked == 0 then
        --- include: state_move
        state_move(ht, state_unknown, 0)
    end
    local next_check, length = next_time(ht, now, interval), nil
    -- As cmsgpack would: two times of eight octets.
    local fields = struct.pack('>BI8BBBBI8', 207, now, 0, 0, 0, 207, next_check)
        .. rest
    -- The tag has the length of short answers, the octet behind 217 that of
    -- others: with equal ones nothing stands behind the answers.
    if #raw == to + #rest and tag == rest:byte(5)
        and (tag ~= 217 or raw:byte(to + 6) == rest:byte(6))
    then
        to = #raw
    else
        length = raw:byte(3)
        to = to + math.min(4, length - HOST.details + 1)
        if length >= HOST.answers then
            to = to + (tag == 217 and 2 + raw:byte(to + 2) or tag - 159)
        end
        length = length < HOST.answers and HOST.answers or nil
    end
    if not length and #fields == to - from then
        call('SETRANGE', hk, from, fields)
    else
        -- An array of more than 15 elements, with its new number of them.
        raw = (length and '\220\0' .. string.char(length) .. raw:sub(4, from)
            or raw:sub(1, from)) .. fields .. raw:sub(to + 1)
        call('SET', hk, raw)
    end
    -- The end of the lease (_job.lua).
    local till = tonumber(flight:sub(70, 82))
    at, range = string.format('%d', next_check), parent
    --- include: turn
until true
