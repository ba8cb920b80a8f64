// Takes a tool result apart: what the programs printed, and what the result adds to it.

const COMMAND = /^[$>] /;
const ENDED = /^(exit code|timed out after|killed|cancelled after) /;
const CUT = /\[\.\.\. .* left out/;
const CLOSING = /^Don't answer yet: /;
const BRACKETED = /^\[.*\]$/;
const BACKGROUND = 'Still running in the background:';

// The lines of the head that are neither a command nor the input given to it; the command that ran
// last.
function ofHead(lines) {
    const added = [];
    let command = '', ran = '', inInput = false;
    for (const line of lines) {
        if (inInput && line.startsWith('  '))
            continue;
        inInput = /^input \(\d/.test(line);
        if (COMMAND.test(line))
            command = line.startsWith('$ ') ? line : command;
        else if (!inInput && !line.startsWith('input: '))
            added.push(line);
        if (ENDED.test(line))
            ran = command;
    }
    return { added, ran };
}

// Sentences in brackets at the end. The first paragraph of a body is always output, so that a
// program that prints a list is not taken for one that was given a hint.
function takeHints(body) {
    let first = body.length;
    while (first > 0 && BRACKETED.test(body[first - 1]) && !CUT.test(body[first - 1]))
        first--;
    if (first < 2 || body[first - 1] !== '')
        return [];
    const hints = body.splice(first);
    body.pop();
    return hints;
}

function takeClosing(body) {
    if (!CLOSING.test(body.at(-1) ?? ''))
        return [];
    const closing = [body.pop()];
    if (body.at(-1) === '')
        body.pop();
    return closing;
}

function takeFrom(body, at) {
    return at < 0 ? [] : body.splice(at);
}

// ShellCheck's messages stand before the program's own output, or in its place.
function takeCheck(body, ran) {
    if (/^\$ shellcheck\b/.test(ran))
        return body.splice(0);
    if (body[0] !== 'check messages:')
        return [];
    const end = body.findIndex((line, i) => line === ''
        && /^(stdout:|stderr:|\(no output\))$/.test(body[i + 1] ?? ''));
    return body.splice(0, end < 0 ? body.length : end);
}

// { added, output, bracketed }: texts, and the lines in brackets among the added ones.
export function parts(text) {
    const lines = text.split('\n');
    const blank = lines.indexOf('');
    const { added: head, ran } = ofHead(blank < 0 ? lines : lines.slice(0, blank));
    const body = blank < 0 ? [] : lines.slice(blank + 1);
    const closing = takeClosing(body);
    const hints = takeHints(body);
    const background = takeFrom(body, body.lastIndexOf(BACKGROUND));
    const check = takeCheck(body, ran);
    const cuts = body.filter((line) => CUT.test(line));
    return {
        added: [...head, ...check, ...cuts, ...background, ...hints, ...closing].join('\n'),
        output: body.join('\n'),
        bracketed: [...head.filter((line) => BRACKETED.test(line)), ...hints],
        hints,
    };
}
