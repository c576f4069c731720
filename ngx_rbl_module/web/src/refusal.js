// Refusals as sentences that say what to do.

import { t } from './text.js';

// Texts of the API, and the messages for them.
const known = [
    [/paid plan/, 'paid_only'],
    [/plan has expired/, 'state_stopped'],
    [/has this RBL/, 'refused_exists'],
    [/at most (\d+) custom/, 'refused_lists'],
    [/cannot be in "(.*)",/, 'refused_zone'],
    [/attached to a host/, 'refused_used'],
    [/last profile/, 'refused_last'],
    [/at most (\d+) profiles/, 'refused_profiles'],
    [/Invalid entries/, 'refused_entries'],
    [/at most (\d+) checks/, 'refused_checks'],
    [/A range is checked/, 'refused_range'],
    [/no interval shorter than (\d+)/, 'refused_interval'],
    [/passkey is added already/, 'passkey_exists'],
    [/passkey was not used/, 'passkey_unused'],
    [/passkey does not sign in/, 'passkey_wrong'],
    [/longer than five minutes/, 'passkey_late'],
    [/at most (\d+) passkeys/, 'passkey_limit'],
    [/Passkeys cannot be used/, 'passkey_site'],
    [/needs a key/, 'refused_key'],
    [/nothing to pay/, 'pay_nothing'],
    [/last attempt has not ended/, 'pay_flight'],
    [/within the last minute/, 'pay_soon'],
    [/same request waits/, 'request_same']
];

function sentence(refusal, away) {
    if (refusal.status === 0 || refusal.status === 503) {
        return t(away);
    }

    if (refusal.again) {
        return t('sign_in_recent');
    }

    for (const [pattern, name] of known) {
        const found = pattern.exec(refusal.message);

        if (found) {
            return t(name, { what: found[1] });
        }
    }

    return t('failed', { why: refusal.message });
}

// Why a screen cannot be read.
export function reason(refusal) {
    return sentence(refusal, 'away');
}

// Why a change was not made.  invalid: the message for wrong values that no
// other message is for.
export function refused(refusal, invalid) {
    const general = t('failed', { why: refusal.message });
    const said = sentence(refusal, 'away_post');

    return invalid && refusal.status === 400 && said === general ? t(invalid)
        : said;
}
