-- Steps of a script about a system list that exists: its key `k` and its record
-- `l`.
--- sets: k l
local k = key('r', 'SYS', ARG.list)
local l = load(k)
if not l then
    return {'LIST'}
end
