-- Steps: notes which lists of the class at `place` answered a check, `asks`
-- (check_finish.lua).  coverage: the packed record (_coverage.lua); it changes.
-- Mostly that was noted a moment ago, or all have answered.
local s = math.floor(now / 1000)
local old = struct.unpack('>I4', coverage, place - 12)
if old > s and old <= s + interval then
    old = nil
elseif #asks == 16 then
    call('SETRANGE', base .. 'coverage:' .. ac, place - 13,
        struct.pack('>I4I4I4', s + math.max(1, math.floor(interval / 8)), s, s))
    old = nil
end
if old then
    --- include: coverage
    local done, is = pcall(coverage_some, coverage, place, asks, s, interval)
    if not done then
        call('DEL', key('coverage', ac))
    end
    coverage = done and is
end
