// Messages and times in the language of the reader.  A message may name values
// in braces; one that depends on a number has a form for each plural category.
// One that does not exist is "".

import de from '../lang/de.json';
import en from '../lang/en.json';

const languages = { de, en };

function choose() {
    const wanted = navigator.languages.map((tag) => tag.split('-')[0]);

    return wanted.find((tag) => tag in languages) || 'en';
}

export const lang = choose();
const messages = languages[lang];
const plural = new Intl.PluralRules(lang);
const number = new Intl.NumberFormat(lang);

export function t(name, values = {}) {
    const key = 'n' in values && !(name in messages)
        ? `${name}_${plural.select(values.n)}` : name;

    if (!(key in messages)) {
        return '';
    }

    return messages[key].replace(/\{(\w+)\}/g, (all, what) =>
        typeof values[what] === 'number' ? number.format(values[what])
            : values[what]);
}

let zone = 'UTC';

export function setZone(name) {
    try {
        new Intl.DateTimeFormat(lang, { timeZone: name });
        zone = name;
    } catch {
        zone = 'UTC';
    }
}

// A time of the API, "2026-11-26T09:30:00+01:00", as a Date; null if it is none.
export function date(text) {
    const at = text ? new Date(text) : null;

    return at && !isNaN(at) ? at : null;
}

export function absolute(at) {
    return new Intl.DateTimeFormat(lang, { timeZone: zone, dateStyle: 'medium',
        timeStyle: 'short' }).format(at);
}

const steps = [['day', 86400], ['hour', 3600], ['minute', 60]];

export function relative(at, now) {
    const seconds = Math.round((at - now) / 1000);
    const [unit, length] = steps.find(([, n]) => Math.abs(seconds) >= n)
        || ['second', 1];

    return new Intl.RelativeTimeFormat(lang, { numeric: 'auto' })
        .format(Math.trunc(seconds / length), unit);
}
