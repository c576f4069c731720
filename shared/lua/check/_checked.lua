-- Steps: "checked" of an account, which `last` has, as it is to be: `noted`.
--
-- It says when a check last finished with an answer of at least one list (ms).
-- nginx says "OK" only while that is recent.  It is written when it is an
-- eighth of an interval (s) old, so that few of the checks of an account with
-- many hosts write it.  account_put writes 0: no list has answered yet.  An
-- account of an older version lacks the key: the time of its last answer is
-- unknown, and the first check that finishes writes the key even without an
-- answer, so that silence counts from then on.
--
-- Behind the 13 digits of the time are *marks*, each after a space: `asks` of a
-- check (check_finish.lua), without `rest`, and its class.  What such a check
-- has to note in `coverage` was noted since then (_coverage_note.lua).  Most
-- checks find theirs and do not read `coverage`, which is large.
--
-- After a day without an answer the days of the account learn that.
--- takes: interval last now
--- sets: age noted
local age = now - (tonumber(last and last:sub(1, 13)) or 0)
if age > 86400000 and last then
    --- include: state
    --- include: days
    pcall(days_turn, now, 0, 0)
end
noted = (age < 0 or age * 8 >= interval * 1000) and tostring(now) or last
