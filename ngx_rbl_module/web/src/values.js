// What a pasted line is: an address, a subnet or a domain, in the form that the
// API takes; or what is wrong with it.  The API judges again.

const most = 1024;

function address4(text) {
    const parts = text.split('.');

    return parts.length === 4
        && parts.every((p) => /^(0|[1-9]\d{0,2})$/.test(p) && p < 256);
}

function address6(text) {
    return /^[0-9a-f:.]+$/i.test(text) && text.includes(':')
        && URL.canParse(`http://[${text}]/`);
}

function subnet(text) {
    const [address, length, ...rest] = text.split('/');
    const v4 = address4(address);
    const bits = v4 ? 32 : 128;

    if (rest.length || !(v4 || address6(address)) || !/^\d{1,3}$/.test(length)
        || length > bits)
    {
        return { problem: 'not_subnet' };
    }

    const n = 2 ** (bits - length);

    return n > most ? { problem: 'subnet_large' }
        : { value: text, type: 'ip_range', n };
}

// {value, type, n}: n hosts; or {value, problem}: the name of a message.
export function parse(line) {
    const value = line.trim();

    if (address4(value) || address6(value)) {
        return { value, type: 'rbl', n: 1 };
    }

    if (value.includes('/')) {
        return { value, ...subnet(value) };
    }

    if (/\s/.test(value) || !value.includes('.')
        || !URL.canParse(`http://${value}/`) || /[:@?#[\]]/.test(value))
    {
        return { value, problem: 'not_host' };
    }

    return { value, type: 'uribl', n: 1 };
}

// The lines of a text that are not empty, each once.
export function parseAll(text) {
    const lines = text.split(/[\n,;]/).map((line) => line.trim())
        .filter((line) => line !== '');

    return [...new Set(lines)].map(parse);
}
