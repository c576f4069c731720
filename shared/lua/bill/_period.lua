-- Dates of the Gregorian calendar in UTC (days since 1970-01-01), and the ends
-- of periods that are paid.  Years begin in March here, so that the day that
-- only some have is their last.
local day_ms = 86400000
local era_days = 146097                 -- of 400 years
-- The first day of a month; 13 and 14 are the first ones of the next year.
local function days_of(y, m)
    local shift = m <= 2 and 1 or 0
    local year = y - shift
    local era = math.floor(year / 400)
    local of_era = year - era * 400
    local of_year = math.floor((153 * (m + 12 * shift - 3) + 2) / 5)
    return era * era_days + of_era * 365 + math.floor(of_era / 4)
        - math.floor(of_era / 100) + of_year - 719468
end
local function date_of(days)
    local z = days + 719468
    local era = math.floor(z / era_days)
    local d = z - era * era_days
    local of_era = math.floor((d - math.floor(d / 1460) + math.floor(d / 36524)
        - math.floor(d / 146096)) / 365)
    local of_year = d - (365 * of_era + math.floor(of_era / 4)
        - math.floor(of_era / 100))
    local mp = math.floor((5 * of_year + 2) / 153)
    local m = mp < 10 and mp + 3 or mp - 9
    return of_era + era * 400 + (m <= 2 and 1 or 0), m,
        of_year - math.floor((153 * mp + 2) / 5) + 1
end
-- The end of a period that begins at `from` (ms): a month or a year later, at
-- the same time of the day `anchor`, or of the last day if the month has no
-- such day.  31 January is followed by 28 or 29 February, and that by 31 March.
local function period_end(from, period, anchor)
    local y, m = date_of(math.floor(from / day_ms))
    if period == 'year' then
        y = y + 1
    else
        m = m + 1
    end
    local first = days_of(y, m)
    return (first + math.min(anchor, days_of(y, m + 1) - first) - 1) * day_ms
        + from % day_ms
end
