-- Steps of check_finish: which lists answered.  A class without lists ends.
local asks, members, interval = ARG.asks or '', ARG.members or '', ARG.interval
if status == 'active' and (asks ~= ''
    or coverage and uncovered and uncovered_before ~= 1)
then
    --- include: coverage_class
    if place then
        --- include: coverage_note
    elseif (asks == '') == (members == '') then
        --- include: coverage
        if not pcall(coverage_define, coverage, class, asks, members,
            math.floor(now / 1000), interval)
        then
            call('DEL', key('coverage', ac))
        end
    end
end
