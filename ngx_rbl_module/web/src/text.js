// Messages and times in the language of the reader.  A message may name values
// in braces; one that depends on a number has a form for each plural category.
// One that does not exist is "".

const languages = {
    de: () => import('../lang/de.json'),
    en: () => import('../lang/en.json')
};

function choose() {
    const wanted = navigator.languages.map((tag) => tag.split('-')[0]);

    return wanted.find((tag) => tag in languages) || 'en';
}

export const lang = choose();
let messages = {};
let forms = {};
let parts = {};

// Resolves when the messages are loaded, before which t() has none.
export const messagesLoaded = languages[lang]().then((module) => {
    messages = { ...module.default };
    forms = module.forms;
    parts = module.parts;
});

// Loads those that only one screen needs (build.mjs), if it has some.
export async function loadPart(name) {
    await messagesLoaded;

    if (Object.hasOwn(parts, name)) {
        Object.assign(messages, (await parts[name]()).default);
    }
}

// To make a formatter takes long: it is made when it is first needed, and then
// kept.
function once(make) {
    let made;

    return () => made ??= make();
}

const numbers = once(() => new Intl.NumberFormat(lang));

export function number(n) {
    return Number.isInteger(n)
        ? String(n).replace(/\B(?=(\d{3})+$)/g, forms.group)
        : numbers().format(n);
}

export const signed = (n) => (n > 0 ? `+${number(n)}`
    : `\u2212${number(-n)}`);

export function t(name, values = {}) {
    const key = 'n' in values && !(name in messages)
        ? `${name}_${values.n === 1 ? 'one' : 'other'}` : name;

    if (!(key in messages)) {
        return '';
    }

    return messages[key].replace(/\{(\w+)\}/g, (all, what) =>
        typeof values[what] === 'number' ? number(values[what])
            : values[what]);
}

let zone;
let times;

// Times are in that zone from now on; in UTC if the browser does not know it.
export function setZone(name) {
    const format = (timeZone) => new Intl.DateTimeFormat(lang, { timeZone,
        dateStyle: 'medium', timeStyle: 'short' });

    zone = name;
    times = once(() => {
        try {
            return format(name);
        } catch {
            zone = 'UTC';
            return format(zone);
        }
    });
}

setZone('UTC');

export function zoneName() {
    times();
    return zone;
}

const steps = [['day', 86400], ['hour', 3600], ['minute', 60]];

// A length of time, in the largest unit that divides it.
export function span(seconds) {
    const [unit, length] = steps.find(([, n]) => seconds % n === 0)
        || ['second', 1];

    return new Intl.NumberFormat(lang, { style: 'unit', unit,
        unitDisplay: 'long' }).format(seconds / length);
}

// How long something lasted (ms), in its two largest units.
export function lasts(ms) {
    const seconds = Math.max(Math.round(ms / 1000), 1);
    const i = steps.findIndex(([, n]) => seconds >= n);
    const large = i < 0 ? seconds : seconds - seconds % steps[i][1];
    const small = steps[i + 1] ? seconds - large
        - seconds % steps[i + 1][1] : 0;

    return [large, small].filter((n) => n > 0).map(span).join(' ');
}

// A time of the API, "2026-11-26T09:30:00+01:00", as a Date; null if it is
// none.
export function date(text) {
    const at = text ? new Date(text) : null;

    return at && !isNaN(at) ? at : null;
}

export function absolute(at) {
    return times().format(at);
}

// A day of statistics, which is one of UTC.
export function day(at) {
    return new Intl.DateTimeFormat(lang, { timeZone: 'UTC',
        dateStyle: 'medium' }).format(at);
}

// The label of an axis, of so many hours or days.
export function tick(at, days, span) {
    const timeZone = days ? 'UTC' : zoneName();

    return new Intl.DateTimeFormat(lang, days || span > 48
        ? { timeZone, day: 'numeric', month: 'short' }
        : { timeZone, hour: '2-digit', minute: '2-digit',
            hourCycle: 'h23' }).format(at);
}

export function relative(at, now) {
    const seconds = Math.round((at - now) / 1000);
    const [unit, length] = steps.find(([, n]) => Math.abs(seconds) >= n)
        || ['second', 1];

    const n = Math.trunc(seconds / length);
    const { few, past, future } = forms.units[unit];

    return few[n + 2] ?? (n < 0 ? past : future)
        .replace('{n}', number(Math.abs(n)));
}
