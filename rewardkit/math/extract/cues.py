"""The words that state an answer: markers of explicit statements in several languages, and cues of concluding sentences.

All of them are data for `statement.py` and `sentence.py`: alternatives of regular expressions, tried without letter case.
"""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """How a language states an answer, "the final answer to this is therefore 12", in the order of the words.

    `denied` and `condition` are words in front of it that make it no statement; `near` and `far` say what may be in between.
    """

    final: str
    nouns: tuple[str, ...]
    behind: str
    of: str
    be: str
    adverbs: str
    denied: str
    condition: str
    near: str = r"\b[^.!?,:\n]{0,5}"
    far: str = r"\b[^.!?,:\n\d]{0,24}"


# fmt: off
LANGUAGES = (
    Language("(?:the |my )?final", ("answer",), "", "to|of|for|in",
             "is|are|was|were|equals|(?:has|have) to be|will be|would be|should be|must be|comes (?:out )?to|turns out to be|can be (?:written|expressed) as|simplifies to",
             "of course|therefore|thus|then|hence|in fact|indeed|finally|found to be|consequently|clearly|simply|just|exactly|equal to|given by",
             r"if|unless|suppose|whether|assum(?:e|ing)|not|wrong|incorrect|false|intermediate|partial|previous|first|initial|claims?|maybe|perhaps"
             r"|(?:might|could|would|may) (?:think|say|guess)|says|thinks|doubt(?:ful)?|original|digits? of|half|twice|other|another",
             "if|unless|suppose|when", r"\b[^.!?,:\n]{0,24}", r"\b[^.!?\n]{0,80}"),
    # Chinese and Japanese
    Language("(?:最终|最終|最后|正确|正確)(?:的な|的)?", ("答案", "正确选项", "答え", "正解"), "", "",
             "(?:应该|应|就|即)?(?:是(?!否)|为|等于|选(?!项))|は", "选项|選択肢|就是|因此|所以|即|、",
             "中[间間]|部分|错误|不正确|不是|猜测|之前|上一个?|另一个?|途中|間違った|間違い|誤った|誤り|仮|前|別|如果|假设|假如|若|もし", "(?!)",
             "(?:的|の)?(?:最[终終后後])?", ""),
    Language("(?:최종(?:적인)? ?)?정?", ("답",), "", "", "은|는", "바로|따라서|선택지", "중간|부분|틀린|잘못|이전|다른|예상", "만약|만일", "[ 정]{0,2}"),
    Language("(?:наш )?(?:окончательный|итоговый|конечный|финальный|правильный)", ("ответ",), "", "на|к|для|в",
             "равен|равна|равно|будет|составляет|это|[-–—](?= )", "таким образом|следовательно|значит|поэтому|итак|просто|ровно|равен|вариант",
             r"не|(?:промежуточн|частичн|неверн|неправильн|ошибочн|предыдущ|перв|друг)\w+|возможно|может быть|половина", "если|пусть|предположим|когда"),
    Language("la|nuestra|mi", ("respuesta",), "final|correcta|definitiva", "al?|del?|para|en", r"(?:es|será|sería)(?! no\b)",
             "entonces|por (?:lo )?tanto|pues|así|simplemente|exactamente|finalmente|igual a|(?:la )?opción",
             "no|primera|otra|falsa|incorrecta|anterior|mitad de la|quizás?|tal vez", "si|supongamos|cuando"),
    Language("a|nossa|minha", ("resposta",), "final|correta|definitiva", "à|ao?|d[aeo]|para|em", r"(?:é|será)(?! não\b)|e(?= ?[-*$\\(\d])",
             "então|portanto|logo|assim|simplesmente|exatamente|finalmente|igual a|a alternativa|(?:a )?opção",
             "não|primeira|outra|falsa|incorreta|anterior|metade da|talvez", "(?<![a-zà-ü] )(?<!-)se|suponha|quando"),
    Language("la|nostra|mia", ("risposta",), "finale|corretta|definitiva", "a|all[ae]|del(?:la)?|di|per|in", r"(?:è|sarà|vale)(?! non\b)|e(?= ?[-*$\\(\d])",
             "quindi|dunque|perciò|pertanto|allora|semplicemente|esattamente|infine|uguale a|pari a|(?:l['’])?opzione",
             "non|prima|altra|falsa|sbagliata|precedente|metà della|forse", "se|supponiamo|quando"),
    Language("la|notre|ma", ("réponse", "reponse"), "finale|correcte|définitive|exacte", "à|au|de|du|pour|dans", r"(?:est|vaut|sera|serait)(?! pas\b)",
             "donc|alors|ainsi|par conséquent|finalement|simplement|exactement|égale? à|bien|(?:l['’])?option",
             "pas|première|autre|fausse|mauvaise|précédente|moitié de la|peut-être", "si|supposons|quand|lorsque"),
    Language("(?:(?:die|unsere|meine) )?(?:endgültige|finale|abschließende|richtige|korrekte)", ("antwort",), "", "auf|zu[rm]?|für|der|des",
             r"(?:ist|lautet|beträgt|wäre)(?! nicht\b)", "also|daher|somit|folglich|demnach|damit|dann|schließlich|einfach|genau|gleich|option",
             r"nicht|kein\w*|vorläufige|falsche|erste|andere|vorherige|hälfte der|vielleicht", "wenn|falls|angenommen"),
)
# fmt: on
NOUN = "|".join(
    rf"(?:(?:{one.final})[ *_]{{0,4}})?(?:{'|'.join(one.nouns)})s?(?: (?:{one.behind}))?" for one in LANGUAGES
)
"""The noun as it stands in a label or heading."""

MARKERS = (
    r"(?:correct|right|best) (?:option|choice|statement)(?: here)?(?: is|:) ?(?:option )?(?=\W*(?:text(?:bf)?\W+)?[A-J]\b)"
    r"|final answer(?: ?(?:→|⇒|->|=>))? (?=[-$\\\d(])"
    r"|(?:gives?(?: us)?|get|obtain|have) (?:the|our) (?:final )?answer(?: of)? (?=(?:\*\*)?[-$\\\d(])"
    r"|(?:结果|得数)(?:应该|应|就|即)?(?:是|为|：|:|等于) ?"
    r"|(?:(?:因此|所以|故)[，,]?(?:应?选|是|为)?[:：]? ?|应?选(?=\W*[A-H](?![a-z])))(?=[$(A-H0-9-][^\n]{0,80}\Z)"
    r"|lösung(?: (?:ist|lautet)\b| ?:)(?! nicht\b) ?"
)
"""What is in front of a stated answer besides "the answer is"."""

JUDGED = "correct|right|reasonable|(?:正确|对|合理)的?|正しい(?:です)?|(?:맞|옳)(?:다|습니다)|верн(?:ый|ым)|правильн(?:ый|ым)|correcta|razonable|corret[ao]|cert[ao]|corretta|giusta|correcte|juste|bonne|richtig|korrekt|plausibel"
"""What is said of an answer that stands elsewhere."""

CONCLUDES = (
    r"(?:and )?(?:so|thus|hence|therefore|consequently|finally|overall|altogether|indeed|yes)"
    r"|in conclusion|in total|in the end|as a result|in all(?=,)|in summary|(?:\w++ ){1,2}therefore"
    r"|(?:so )?(?:we|i) (?:conclude|find|get|got|obtain|see that)|it follows|(?:this|that) (?:means|gives|yields|makes)"
    r"|the (?:(?:final|integer|required|requested|desired|wanted|total|maximum|minimum|maximal|minimal|largest|smallest|greatest|least|exact|possible|only|correct|right) ){0,2}"
    r"(?:result|number|values?|solutions?|roots|zeros|total|sum|product|area|volume|probability|perimeter|remainder|number of)"
    r"|there (?:are|were|will be) [^.,]{1,80} (?:in total|in all|altogether)|(?:since|because) [^.,]{1,160}, (?:the|it|we|she|he)"
)
"""How a concluding sentence begins."""

LEAD = r"(?:and )?(?:so|thus|hence|therefore|then|finally|yes|indeed|consequently|in conclusion|in total|as a result)|(?:we|i) (?:get|got|find|found|obtain|have|conclude|see)(?: that)?|it follows that|this (?:gives|means)(?: that)?"
"""What is in front of a concluding clause and says nothing."""

NO_VALUE = r"partial|intermediate|example|put|plug|substitute|suppose|let|assume|consider|if|given|say|try|note|recall|since|because|when"
"""How a text begins that is not a value."""

CONCLUDES_WITHIN = (
    r"confident that|conclude that|end up with|we (?:get|find|have) that|(?:is|are|equals) (?:therefore|thus|hence)"
)
"""What makes a sentence a concluding one wherever it is in it."""

SIGNS = r"∴|⇒|⟹|→|=>|\$?\\(?:therefore|Rightarrow)\b"
"""Signs of a conclusion."""

FILLER = (
    r"i (?:think|hope|believe|am\b)|i['’](?:ve|m)|that['’]s|that is (?:the|my|our|it|consistent|correct)|this (?:is (?:the|my|our|consistent|correct)|matches|completes|confirms)"
    r"|everything|great|done|alright|let me know|hope (?:this|that|it)|feel free|please let|it(?:'s| is) (?:a )?(?:simple|consistent|correct)|q\.?e\.?d"
)
"""How a sentence begins that says nothing of the answer and may follow it."""

CONFIRMS = r"(?:that|this)(?:['’]s| is|’s) (?:the|my|our|it|correct)\b|(?:confident|agree|confirm)"
"""What says that the value in the sentence before is the answer."""

SUPPOSED = (
    r"whether|suppose|for example|still|otherwise|so far|in (?:this|that|each|one|the [a-z]+) case|next|(?:upper|lower) bound|need(?:s|ed)? to|have to|we (?:let|use|know|consider|check|try)"
    r"|extraneous|rejected|fails?|wrong|incorrect|guess|case \d|equations?|unknowns?|double[- ]count\w*|too (?:large|small|big|high|low|many|few)"
)
"""Words that make a concluding sentence a supposition or a part of the work: it states no value."""

CONDITION = r"if|unless|assuming|provided"
"""What makes a value one under a condition, in front of the clause or behind the value."""

HEDGED = r"not|n['’]t|cannot|never|at (?:least|most|best)|between|either|neither|nor|or|than|could|might|may|should|can be|no(?! matter)|except|other than|besides|half|twice|divides|multiples? of|per ?cent of"
"""Words right in front of the copula, or in a sentence without one, that make its number another one or none."""

COPULA = r"\b(?:is|are|was|were|be|equals|comes (?:out )?to(?: be)?|amounts to|totals)\b|(?<=\bit)['’]s\b|(?<=\bthat)['’]s\b|="
"""What is between a quantity and its value."""

BEFORE_VALUE = r"(?:indeed|equal to|equivalent to|exactly|simply|therefore|then|thus|now|given by|approximately|about|only|found to be|:|an? (?:total|value|probability|sum) of)"
"""What may be between the copula and the value."""

BEHIND_VALUE = (
    r"(?:since|because|as|which|when(?![^.;]*\b(?:odd|even|otherwise)\b)|where|who|whose|for(?! [a-z]\b)(?![^,.;]*\b(?:odd|even|otherwise)\b)|at|after|so|with|attained|achieved|obtained|reached|exactly|in (?:total|all)|altogether|overall|and (?:the|this|that|we|it)|but|while"
    r"|that is|i\.e|in other words|namely|given|rather than|instead of|not(?= [\d$])|though|although|whereas)\b"
)
"""What ends a value: a reason, a relative clause."""

DECIMAL_COMMA = {
    "fr": (" est ", " donc ", " la ", " les ", "réponse", " une "),
    "de": (" ist ", " lautet ", " der ", " das ", " und ", "antwort", " wir "),
    "es": (" es ", " el ", " los ", "respuesta", " por ", " entonces "),
    "it": (" è ", " il ", " di ", "risposta", " quindi ", " che "),
    "pt": (" é ", " os ", "resposta", " então ", " uma ", " portanto "),
}
"""Words by which a text in a language with decimal commas is known; two different ones are enough. Cyrillic letters are, too."""

COUNTED = r"(\d[\d,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?!more|less|fewer|times|plus|minus|thousand|hundred|million|percent|dozen)[a-z]{2,}s (?!(?:and|or|plus|minus|times|per|an?|of)\b)[a-z]+ [a-z]+[a-z ]*$"
"""A statement that counts and says more of what it counts: "three boxes contain neither pens nor pencils"."""

DESCRIBES = r"the (?:equation|formula|function) (\$?[a-z](?:\([a-z]\))? ?= ?[^,.;:=]{1,60}?) (?:correctly |indeed )?(?:describes|represents|defines)\b"
"""A concluding sentence whose subject is the answer: "the equation y = -2x describes this line"."""

OTHER_VALUE = r"(?<!total )(?<!value )(?<!result )(?<!answer )(?<!sum )(?<!number )(?<!probability )(?:of|from|in|on|inside|within|by|for|over|among|at|before|after|near|first|last|times|to|(?<!up )with|section|exercise|step|until)"
"""The word right in front of a number that is not a value of the sentence, but something it speaks of: the root of 17."""

GOES_ON = r",? (?:giving|making|yielding|for a total|bringing|which (?:we|leaves|must|have to|is needed|is then)|of which|each of which|to (?:check|consider))|, so|cases to"
"""What follows a count that is not yet the value asked for: such a sentence states none."""

CHANGING = r"mod|base|not|or|times|thousands?|millions?|billions?|bound|wrong|false|double|twice|triple|each|per|squared|cubed|hundred|dozens?|at (?:the )?(?:very )?(?:least|most|earliest|latest)|more|less|below|above|plus|minus|replaced|multiplied|divided|if|when|excluding|without|except"
"""Words in brackets behind a value that make another value of it; others are a remark."""

BROKEN_OFF = (
    r"times|plus|minus|over|of|and|or|by|than|divided|to|the|an?|is|are|equals|with|from|for|that|in|at|we|so|then"
)
"""The last word of a text that wanted to go on."""
