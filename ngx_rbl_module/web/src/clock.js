// The time of the server, for a browser whose clock is wrong; a pause.

const least = 2000;             // ms; the header Date has whole seconds
let ahead = 0;

// date: the header Date of an answer.
export function heard(date) {
    const by = Date.parse(date) - Date.now();

    ahead = Math.abs(by) > least ? by : 0;
}

export function now() {
    return Date.now() + ahead;
}

export const sleep = (ms) => new Promise((go) => setTimeout(go, ms));
