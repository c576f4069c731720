-- Steps of check_finish: which lists answered.  A class without lists ends.
local asks, interval = ARG.asks or '', ARG.interval
if status == 'active' and (asks ~= ''
    or coverage and uncovered and uncovered_before ~= 1)
then
    --- include: coverage_note
end
