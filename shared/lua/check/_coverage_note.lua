-- Steps: notes which lists of an account answered a check of one of its hosts,
-- `asks` (check_finish.lua).  coverage: the packed record (_coverage.lua), or
-- false; it changes.  Mostly that was noted a moment ago, or all have answered.
local class = profile .. ':' .. family .. ':' .. htype .. ';'
local place = coverage and string.find(coverage, class, 1, true)
local s, old = math.floor(now / 1000), true
if place and place > 28 and coverage:sub(place - 28, place - 13)
    == asks:sub(1, 16)
then
    old = struct.unpack('>I4', coverage, place - 12)
    old = old <= s or old > s + interval
    if old and #asks == 16 then
        call('SETRANGE', base .. 'coverage:' .. ac, place - 13,
            struct.pack('>I4I4I4', s + math.max(1, math.floor(interval / 8)),
            s, s))
        old = false
    end
else
    place = nil
end
if old then
    --- include: coverage
    local done, is
    if place then
        done, is = pcall(coverage_some, coverage, place, asks, s, interval)
    else
        done, is = pcall(coverage_define, coverage, profile, htype, family,
            asks, s, interval)
    end
    if not done then
        call('DEL', key('coverage', ac))
    end
    coverage = done and is
end
