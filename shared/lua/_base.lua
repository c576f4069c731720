-- Key derivation and the helpers that every script uses.  All keys share the
-- hash tag of KEYS[1].  Records are MessagePack arrays (schema.txt).
local base = string.match(KEYS[1], '^.-{%d+}:')
local function key(...)
    return base .. table.concat({...}, ':')
end
local function load(k)
    local raw = redis.call('GET', k)
    return raw and cmsgpack.unpack(raw)
end
local function save(k, record)
    redis.call('SET', k, cmsgpack.pack(record))
end
local function now_ms()
    local t = redis.call('TIME')
    return t[1] * 1000 + math.floor(t[2] / 1000)
end
