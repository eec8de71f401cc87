"""What stands behind a stated answer: values below it, another value in its place, alternatives, a denial."""

from __future__ import annotations

import re

from rewardkit.math.text.patterns import lazy

MAX_LINES = 48
"""So many values one below the other may be one answer; more are none."""

MAX_TAIL_CHARS = 240
"""A longer text behind a statement goes on to something else."""

MIN_TAIL_CHARS = 13
"""A shorter text says little of the value before it: "as required."."""

FORMULA = r"\$\$[^$\n]{1,400}\$\$|\$[^$\n]{1,400}\$|\\\[[^\n]{1,400}?\\\]|\\\([^\n]{1,400}?\\\)"
NUMBER = r"(?:[A-Za-z] ?= ?)?[-+−]?\d[\d,]*(?:\.\d+)?(?:/\d+)?"
_VALUE = rf"(?:{FORMULA}|{NUMBER}|(?:[A-Za-z]|yes|no|true|false)(?![A-Za-z]))"
_TAKEN_BACK = lazy(
    rf"[.!]?\s{{1,20}}(?:no,? wait|wait|actually|oops|sorry|scratch that|i mean|or rather|correction)\b[,:.]? ?(?:no,? )?"
    rf"(?:(?:it(?:['’]s| is)|that is|should be|must be) )?(?P<value>{_VALUE})[.!]?\s*\Z",
    re.IGNORECASE,
)
"""A last sentence that puts another value in the place of the one before."""

_BELOW = lazy(
    rf"[.,;]?[ \t*_]{{0,20}}\n\s{{0,20}}(?:[-*•][ \t]+)?\*{{0,3}}(?P<joined>(?:or|alternatively|and)\b,?\s*)?(?P<value>(?:\([a-e1-5]\) ?)?{_VALUE})"
    r"(?P<more> (?:and|or))?[.,;]?\*{0,3}[ \t]*(?=\n|\Z)",
    re.IGNORECASE,
)
_LEADS = r"[\s.,;:!()\[\]{}*_`—–-]{0,12}"
_OTHER = rf"\**({FORMULA}|{NUMBER}|(?-i:\(?[A-H]\)?)(?=\W*\Z))\**"
_REVISED = (
    r"no|nope|wait|hold on|(?:ignore|disregard) (?:that|this|the above)|never ?mind|actually|on second thoughts?|on reflection|strike that|oops|sorry|scratch that|correction|correcting|edit(?:ed)?|rather(?! than)|i mean|i meant|my mistake|just kidding"
    r"|updated?(?=[:,])|i (?:was|am|could be|might be|may be) (?:wrong|mistaken)|i made|(?:that|this|it)(?:['’]s| is| was) (?:not (?:right|correct)|wrong|incorrect|false)"
    r"|(?:re-?)(?:comput|check|calculat|count|consider|read|think)ing|(?:double-?)?checking|let me (?:re|double|check|correct|fix|try)|after (?:correction|checking|recheck)"
    r"|(?:(?:the|an?) )?(?:correct|right|true|actual|real|other|second|further|third|different|wanted|requested) (?:sum|value|answer|result|solution|root|possibility)|final(?: result| value)?:"
)
_OFFERED = (
    r"or(?: else)?|alternatively|otherwise|else|perhaps|maybe|possibly|another|then again|hmm+|however|but|though|although|unless"
    r"|it (?:may|might|could)(?: also)? be|(?:the|an?other) answer (?:may|might|could)|there (?:may|might|could)(?: also)? be"
    r"|the (?:book|key|solution|textbook|author)s? (?:says?|gives?|claims?|has)"
)
SAME_AGAIN = r"(?![^\d$]{0,30}(?:approx|about|roughly|equivalent|nearly|around|round|in other words|simpl|decimal|≈|~|more|less|written))"
_RIVAL = lazy(
    rf"{_LEADS}(?:(?:{_REVISED}|{_OFFERED})(?![A-Za-z]){SAME_AGAIN}[^\d$]{{0,80}}?{_OTHER}[^\d$\\]{{0,60}}\Z"
    rf"|(?:(?:also|and)(?: also)?(?: possible| acceptable| valid)?:?|(?:so|thus|hence|therefore)\b,?(?: it(?:['’]s| is)| we get| the (?:correct )?(?:value|result) is)?"
    rf"|if (?![^\d$]{{0,80}}\b(?:would|were|had)\b)[^.\d$]{{1,60}}(?:,|\b(?:it(?:['’]s| is)|get|be|becomes|is))) ?{_OTHER}\W*\Z)",
    re.IGNORECASE,
)
"""A short rest of a text that offers one other value, in place of the one before it or beside it."""

_SO_IS = lazy(
    rf"{_LEADS}(?:(?:but|though|although|however|and|while),? )?(?:[A-Za-z][^.\d$\n]{{0,60}} )?\**({FORMULA}|{NUMBER})\** (?:(?!not |never )[a-z]+ ){{0,3}}?"
    r"(?:also (?:an? )?(?:answer|solution|root)|possible|possibility|works?|acceptable|valid|plausible|correct|right)\b[^\d$\\]{0,40}\Z",
    re.IGNORECASE,
)
"""A rest that says the same of another value: 15 is also possible."""

_DENIED = lazy(
    r"[\s.,;:!(*—–-]{0,8}(?:(?:actually|wait|hmm+|no|oh|unfortunately)\b[,.! ]{1,3}){0,3}(?:but |which |and |however,? ){0,2}"
    r"(?:(?:that|this)(?: (?:answer|result|value|box))?|it|which|(?:the|my) (?:box(?:ed)?|above|previous|last|answer|result|value)(?: [a-z]+){0,2}?)?(?:['’]s| is| was| can['’]?t be| cannot be| can not be| contradicts?) (?:clearly |obviously |of course )?"
    r"(?:(?<=not be )(?:right|correct|true)|(?<=t be )(?:right|correct|true)|(?<=contradicts )[a-z]|(?<=contradict )[a-z]|not (?:right|correct|true|the (?:(?:final|correct|right) )?answer|possible)|(?:the )?wrong(?: sign| number| value| way| answer)?|incorrect|false|impossible)(?!,? (?:(?:only )?(?:if|unless|when)|to)\b)"
    r"(?:\b[^\d$\\]{0,80}|,? (?:since|because|as)\b[^\n]{0,120}|[,;:] [^\n]{0,120})?\Z"
    rf"|{_LEADS}(?:(?:actually|wait|hmm+|no|oh|unfortunately)\b[,.! ]{{1,3}}){{0,3}}(?:but |which |and |however,? |yet ){{0,2}}(?:that|this|it|which)(?: (?:answer|result|value))? (?:does not|doesn['’]t|did not|didn['’]t|fails to|cannot|can['’]t) (?:satisfy|work|hold|fit|meet|match|make sense)\b(?! (?:if|unless|when)\b)[^\d$\\]{{0,80}}\Z"
    rf"|{_LEADS}(?:(?:but|hmm+|wait|hold on|actually|no|oh)\b[,.! …]{{1,4}}){{0,3}}(?:let me|let['’]?s|i (?:should|need to|will|must|have to)) (?:(?:re-?(?:comput|calculat|check|consider|count|think|examin|evaluat|work|start)e?|redo|start over)\b|try (?:again|another))[^\d$\\]{{0,60}}\Z"
    r"|[\s.,;:!(*—–-]{0,8}(?:(?:actually|wait|hmm+|oh|sorry)\b[,.! ]{1,3}){0,2}(?:(?:actually|wait|hmm+|oh|sorry)\b[,.! ]{1,3}(?:no|nope)|(?:scratch|strike|ignore|disregard|forget) (?:that|this|it|the above)|never ?mind)\b[.!\s)*]{0,8}\Z",
    re.IGNORECASE,
)
"""A rest that says no more than that the answer is none."""


_TAKES_BACK = lazy(
    r"[\s.!*]{0,12}(?:checking|check|verification|verifying)\b[^\n]{0,80}(?:\b(?:does not (?:work|hold|fit)|is not right|fails)\b|doesn['’]t (?:work|hold|fit))"
    r"|[\s.!*]{0,12}(?:this|that|which|it) is (?:a contradiction|not what (?:was|is) asked|the answer to (?:the wrong|another)|not what we)\b"
    r"|[\s.!*]{1,12}(?:but|now|then|next|finally|however),? (?:(?:we|i) (?:now |then |still |also )?(?:(?:have|need) to |must |should )?(?:divide|double|multiply|add|subtract|halve|square|convert)|the (?:question|problem) (?:asks|asked|wants))\b",
    re.IGNORECASE,
)
"""A sentence behind an answer that takes it back, whatever follows."""


_RETRACTED = lazy(
    rf"{_LEADS}(?:(?:oh|hmm+|wait|actually|no|well|hold on|sorry)[,.! ]{{1,3}}){{0,2}}(?:oops\b|apologies\b(?! for the (?:length|long|delay))|my (?:mistake|bad|apologies)(?=\W)(?! (?:in|was|at)\b)"
    r"|correction\b(?! of an? )(?=[^\n]{0,120}\d)|(?<=oh )no\b|(?<=oh, )no\b|(?:wrong|incorrect|not (?:quite|right|correct|so))(?=[!.:,;])"
    r"|(?:that|this|it) can(?:['’]t|not) be(?=[.!])|(?:please )?(?:ignore|disregard|forget) (?:(?:that|this|it|my)\b|the (?:above|previous|box|last|answer|result)\b)"
    r"|i (?:(?:retract|withdraw|take (?:that|it|this) back|misspoke|misread|misunderstood|(?:mis|double[- ])count(?:ed)?|made (?:an?|the) (?:error|mistake|slip))\b"
    r"|was wrong\b(?! (?:at first|before|earlier|initially))|forgot\b(?! to (?:say|mention|add|note))))",
    re.IGNORECASE,
)
"""A rest that begins by taking the answer back, whatever follows."""

_DROPPED = lazy(r"\b(?:extraneous|reject|discard|invalid|spurious)", re.IGNORECASE)
"""What is said of a value that is none."""

_REFUTED = lazy(
    r"\b(?:contradict|impossible|wrong|incorrect|cannot be|can['’]t be|not (?:right|correct))", re.IGNORECASE
)


_IT = r"(?:(?:this|that|it|which)(?: (?:answer|value|result))?)"
_GIVEN_UP = lazy(
    rf"{_LEADS}(?:(?:but|however|unfortunately|sadly|hmm+|actually|note(?: also)?|that|since|because|as|so|and|yet|though|although)\b,? ){{0,4}}"
    rf"(?:{_IT}(?:"
    r" (?:is|was) (?:clearly |obviously |of course |therefore )?(?:(?:wrong|incorrect|impossible|absurd|not (?:right|correct|possible|allowed))(?=[.,;!)]| because| since| as| in )|not (?:among|in|one of) the (?:options|choices|list)|not an option)"
    r"| contradicts\b"
    r"| (?:does not|doesn['’]t) (?:look|seem|sound) (?:quite )?(?:right|correct|plausible|reasonable)"
    r"| (?:must|has to|needs to|should|is) (?:still |then |now |also )?(?:to )?be (?:doubled|halved|multiplied|divided|added|subtracted|squared|replaced|corrected)"
    r")|(?:we|i) (?:still|also) (?:have|need) to (?:add|subtract|multiply|divide|double|halve)\b"
    r"|i (?:strongly )?doubt (?:it|this|that)\b|(?:i|we) (?:could not|couldn['’]t|cannot|can['’]t|did not|didn['’]t) (?:work (?:it|this|that) out|compute|find|determine|calculate)[^.\n]{0,40} exact"
    r"|the exact (?:value|answer) is (?:unknown|not known|unclear)|the check fails\b"
    r"|the (?:question|problem) (?:asks|asked|wants)(?: us)? for (?:half|twice|double|triple|a third|the (?:square|double|half|reciprocal|negative)) of (?:it|this|that)\b"
    r"|(?:half|twice|double|triple) (?:of )?(?:it|this|that) is [^.\n]{1,40} (?:we want|(?:was|is) asked|is wanted)"
    r"|sorry,? (?:that|this|it) (?:is|was) (?:wrong|not right|incorrect))"
    rf"|{_LEADS}(?:not it(?=[,.;)])|(?:this is |that is |which is )?(?:only |just )?(?:an? )?(?:lower|upper) bound\))"
    rf"|{_LEADS}but wait\b(?![^\n]*(?:\?|\b(?:still|same|confirms?|fine|ok|okay|right|correct|holds?|works|satisf\w+|verif\w+)\b))",
    re.IGNORECASE,
)
"""What is said of an answer that is wrong or not yet what was asked for."""

_TAKEN_ELSEWHERE = lazy(
    rf",? (?:obtained|attained|achieved|reached|taken) (?:at|for|when|if) [^.,\n]{{1,40}},? (?:or|and) \**(?P<value>{FORMULA}|{NUMBER})\**,? (?:obtained|attained|achieved|reached|taken|at|for|when|if)\b",
    re.IGNORECASE,
)
"""A second value with its own condition: "60, attained at x = 2, and 61, attained at x = 3"."""


def with_what_follows(text: str, end: int, answer: str, start: int) -> tuple[str, int]:
    """(answer, where it begins) of a statement of `answer` that ends at `end`, with what the text behind it makes of it."""
    if len(text) - end < 2:
        return answer, start
    if (instead := _TAKEN_BACK.match(text, end)) is not None:
        return instead["value"], instead.start()
    found = beside_rival(text, end, answer)
    return (_with_lines_below(text, end, answer) if found is None else found), start


def beside_rival(text: str, end: int, answer: str) -> str | None:
    """`answer` or the other value that the rest of `text` offers; "" where it takes the answer back, None where it does neither."""
    if len(text) - end > MAX_TAIL_CHARS:
        return None
    rival = _RIVAL.match(text, end) or _SO_IS.match(text, end)
    if rival is not None and _DROPPED.search(text, end) is None:
        other = next(filter(None, rival.groups()))
        if other.strip("$") != answer.strip("$"):
            return rf"{answer} \text{{ or }} {other}"
        return "" if _REFUTED.search(text, end) is not None else None
    denied = _DENIED.match(text, end) or _TAKES_BACK.match(text, end) or _RETRACTED.match(text, end)
    if denied is not None:
        return ""
    if len(text) - end < MIN_TAIL_CHARS:
        return None
    if (beside := _TAKEN_ELSEWHERE.match(text, end)) is not None:
        return rf"{answer} \text{{ or }} {beside['value']}"
    return "" if given_up(text[end:], answer) else None


def given_up(rest: str, answer: str) -> bool:
    """Whether what follows an answer calls it wrong or unfinished, by a pronoun or by its name."""
    name = answer.strip("$ ")
    at = rest.find(name, 0, MAX_NAME_AT) if name else -1
    if at > 0:
        end = at + len(name)
        if rest[at - 1] == "$" == rest[end : end + 1]:
            at, end = at - 1, end + 1
        if rest[at - 1] == " " and not rest[end : end + 1].isalnum():
            rest = f"{rest[:at]}it{rest[end:]}"
    return _GIVEN_UP.match(rest) is not None


MAX_NAME_AT = 60
"""An answer is called wrong by its name in so many characters behind it."""


def labelled_values(text: str, start: int) -> str | None:
    """The values on the lines that end `text` from `start`, where each is that of another part or of other things: "a) 12" and "b) 15"."""
    if len(text) - start > MAX_TAIL_CHARS:
        return None
    lines = [_LABELLED.fullmatch(line.strip()) for line in text[start:].strip(" *:_\n").split("\n") if line.strip()]
    found = [line for line in lines if line is not None]
    labels = {line["label"] or line["things"] for line in found}
    if len(found) < 2 or len(found) < len(lines) or len(labels) < len(found):
        return None
    return " , ".join(
        f"{line['label']} {line['value']}" if text.find("(a)", start) >= 0 else line["value"] or line["count"]
        for line in found
    )


_LABELLED = lazy(
    rf"(?:[-*•] )?\**(?:(?P<label>(?-i:\(?(?:[a-e]|[ivx]{{1,4}})\))|part \(?[a-e1-5]\)?:|(?-i:[A-Z][a-z]+):)\** ?(?P<value>{_VALUE})(?: [a-z]+)?|(?P<count>{NUMBER}) (?P<things>[a-z]{{3,}}))[.,;]?\**",
    re.IGNORECASE,
)


def _with_lines_below(text: str, end: int, answer: str) -> str:
    """`answer` with the values on lines of their own right below it, which are parts of it or alternatives to it."""
    values, either, first = [answer], False, end
    for _ in range(MAX_LINES):
        if (line := _BELOW.match(text, end)) is None:
            break
        end = line.end()
        joined = (line["joined"] or "").lower()
        either = either or joined.startswith(("or", "alt"))
        if line["value"] not in values:
            values.append(line["value"])
    else:
        return answer + text[first:]
    if len(values) == 1:
        return answer
    values = [re.sub(r"[\s,]+(?:and|or)$", "", one) for one in values]
    return (r" \text{ or } " if either else " , ").join(values)
