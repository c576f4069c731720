-- Steps of check_finish: which lists answered.  A class without lists ends.  Of
-- a host that is not active only the order of its lists is kept.
local asks, members, interval = ARG.asks or '', ARG.members or '', ARG.interval
if asks ~= '' or coverage and uncovered and uncovered_before ~= 1 then
    --- include: coverage_class
    if status ~= 'active' then
        class = ';'
        place = coverage and string.find(coverage, asks:sub(1, 16), 1, true)
    end
    if place and status == 'active' then
        --- include: coverage_note
    elseif not place and (asks == '') == (members == '') then
        --- include: coverage
        if not pcall(coverage_define, coverage, class, asks, members,
            math.floor(now / 1000), interval)
        then
            call('DEL', key('coverage', ac))
        end
    end
end
