-- The delivery that ARGV[1] names.
local member = ARGV[1]
local ac, ev, target = string.match(member, '^(%w+):(%w+):(%w+)$')
