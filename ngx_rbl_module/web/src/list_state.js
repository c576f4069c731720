// The state of a list in one word: first what keeps its answers from counting,
// then what the daemons found last at its test points.

import { html } from './html.js';
import { absolute, date, t } from './text.js';

// Results of the test points (rblctl(8)), the worst first.
const tests = ['wildcarding', 'blocked', 'down', 'unreachable', 'resolver',
    'unsupported', 'good'];

const tone = { good: 'clear', untested: 'unknown', answering: 'unknown',
    own: 'clear', paused: 'paused', disabled: 'paused' };
const shapes = {
    clear: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z',
    unknown: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z M8 3a5 5 0 0 0 0 10z',
    paused: 'M3 2h4v12H3z M9 2h4v12H9z',
    uncovered: 'M8 1 15 8 8 15 1 8z'
};

// list: an object of rbls; state: its object of lists/state, or of list.
export function wordOf(list, state) {
    if (list.status !== 'active') {
        return list.status;
    }

    if (list.custom) {
        return 'own';
    }

    if (!state) {
        return 'untested';
    }

    if (state.frozen) {
        return 'frozen';
    }

    if (state.refusing_till) {
        return 'refusing';
    }

    if (state.quota_left === 0) {
        return 'used_up';
    }

    return worst(state).word || untested(state);
}

// The word of a list without results of tests: how its queries ended.
function untested({ responses: { answered, refused, failed } }) {
    return answered > 0 ? 'answering' : refused + failed > 0 ? 'silent'
        : 'untested';
}

// The worst that the daemons found at its test points: {word, test}.
function worst(state) {
    for (const word of tests) {
        const test = state.tests.find((one) => one.state === word);

        if (test) {
            return { word, test };
        }
    }

    return {};
}

// What its word comes from, if that is a test that did not pass.
export function troubleOf(word, state) {
    const found = needsLook(word) && state.tests ? worst(state) : {};

    return found.word === word ? found.test : undefined;
}

// Sentences about a test: what the daemons found, since when and why.
export function sentenceOf({ state, reason, since }) {
    const at = date(since);
    const why = state === 'good' || state === 'untried' ? ''
        : t(`why_${reason}`);

    return [t(`test_${state}`), at && t('test_since', { at: absolute(at) }),
        why && t('test_why', { why })].filter(Boolean).join(' ');
}

// Why a list gave no answer about a host: a sentence for each class of reasons.
export const whyNot = (error) => t(`error_${error}`)
    || t('error_other', { error });

export function needsLook(word) {
    return !(word in tone);
}

export function ListState({ word }) {
    const kind = tone[word] || 'uncovered';

    return html`<span class="state ${kind}">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path
            fill-rule="evenodd" d=${shapes[kind]} /></svg>
        ${t(`list_${word}`)}</span>`;
}

export function families(list) {
    return list.families.map((family) => t(`family_${family}`)).join(', ');
}
