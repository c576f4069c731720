// Amounts of money, which are texts in US dollars, and days of a bill,
// which are those of UTC.

import { date, day, lang } from './text.js';

const format = new Intl.NumberFormat(lang, { style: 'currency',
    currency: 'USD', maximumFractionDigits: 6 });
const most = 1e9;

export const moment = (text) => (date(text) ? day(date(text)) : '');

export const money = (text) => format.format(Number(text));

// What was typed as the API takes it: "25", "25.00", or "25,00"; "": 0.  null:
// another form.
export function amount(text) {
    const typed = text.trim().replace(/^(\d+),(\d{1,2})$/, '$1.$2') || '0';

    return /^(0|[1-9]\d{0,9})(\.\d{1,2})?$/.test(typed)
        && Number(typed) <= most ? typed : null;
}
