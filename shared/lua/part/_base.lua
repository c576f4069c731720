-- Key derivation and the helpers that every script uses.  All keys share the
-- hash tag of KEYS[1].  Records are MessagePack arrays (schema.txt).
local call = redis.call
local base = KEYS[1]:sub(1, string.find(KEYS[1], '}', 1, true) + 1)
local function key(name, a, b, c)
    if c then
        return base .. name .. ':' .. a .. ':' .. b .. ':' .. c
    end
    if b then
        return base .. name .. ':' .. a .. ':' .. b
    end
    return a and base .. name .. ':' .. a or base .. name
end
local function load(k)
    local raw = call('GET', k)
    return raw and cmsgpack.unpack(raw)
end
local function save(k, record)
    call('SET', k, cmsgpack.pack(record))
end
local function now_ms()
    local t = call('TIME')
    return t[1] * 1000 + math.floor(t[2] / 1000)
end
