-- Steps of check_finish: which lists answered, and when one last did.  A class
-- without lists ends.  Of a host that is not active only the order of its lists
-- is kept.
--- takes: ac answered class last mark now place status uncovered
--- takes: uncovered_before
--- sets: asks class interval members noted place
local asks, members, interval = ARG.asks or '', ARG.members or '', ARG.interval
local noted = last
if answered > 0 or not last then
    --- include: checked
end
--- include: coverage_mark
if asks ~= '' and (status ~= 'active' or answered == 0
    or not string.find(noted, mark, 14, true))
    or asks == '' and uncovered and uncovered_before ~= 1
then
    local coverage
    --- include: coverage_class
    if status ~= 'active' then
        class = ';'
        place = coverage and string.find(coverage, asks:sub(1, 16), 1, true)
    end
    if place and status == 'active' then
        --- include: coverage_note
    elseif not place and (asks == '') == (members == '') then
        --- include: coverage
        noted = noted:sub(1, 13)
        if not pcall(coverage_define, coverage, class, asks, members,
            math.floor(now / 1000), interval)
        then
            call('DEL', key('coverage', ac))
        end
    end
end
if noted ~= last then
    call('SET', key('checked', ac), noted)
end
