// When something is repeated, in words: the rhythm of a contact, the rule of a
// mute.

import { t } from './text.js';

// text: of the API, such as "now" or "weekly sat,sun 22:00".
export function rhythmText(text) {
    const [often, ...at] = text.split(/[ ,]/);

    return [t(`rhythm_${often}`), ...at.map((part) => t(`day_${part}`)
        || part)].join(', ');
}
