"""Which language a text is in: by script, and among languages of one script by their commonest words."""

from __future__ import annotations

from rewardkit.errors import GroundTruthError
from rewardkit.rewards.language_consistency import LANGUAGES, words_of

SCRIPTS_OF = {
    **LANGUAGES, "pl": ("latin",), "sw": ("latin",), "fi": ("latin",), "nl": ("latin",), "ur": ("arabic",), "mr": ("devanagari",),
    "ne": ("devanagari",), "te": ("telugu",), "kn": ("kannada",), "ml": ("malayalam",), "gu": ("gujarati",), "pa": ("gurmukhi",),
}  # fmt: skip
"""The scripts of the languages that IFEval asks for, and of Dutch, with which German is confused."""
_COMMON = {
    "en": "the of and to in is that it for was on are as with be this have from or by not but what all were your can there i no so do he she we my if",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass ich sie ja nein",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son nous",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si",
    "it": "di e il la che in a per è un del non sono con una si le della i da al come più gli dei nel alla anche",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem",
    "nl": "de van het een en in is dat op te zijn met die voor niet aan er om ook als dan maar bij nog uit wordt",
    "pl": "w i z na nie się do to jest że od o po za jak co ale przez dla tym są oraz jego który czy być może już tylko",
    "vi": "và là của có không được trong cho với các một những người này khi đã để từ cũng như thì ở về ra vào bạn sẽ",
    "sw": "na ya wa kwa ni katika za la kuwa cha hii hiyo kama au lakini pia wake watu sana hivyo ili hadi yake zaidi kila",
    "fi": "ja on ei se että oli hän mutta ovat kuin niin kun myös tai mitä joka sen vain voi jos hyvin olla minä tämä ne",
    "ru": "и в не на что я с он как это по но из у за от так же для все бы был к о или его если который также да нет",
    "uk": "і в не на що з я як це та до за від у або але для є був його так який також бути про може ми вони",
    "bg": "и на да се за в от не с е че по като са си до това но ще или би който най когато тази при беше",
    "ar": "في من على إلى أن هذا التي الذي ما لا عن هو مع كان هذه هي كل أو بين قد ذلك لم بعد غير كما أي إن",
    "fa": "و در به از که این را با است برای آن یک می خود شود تا بر هم نیز کرد ها شده یا اما او باید",
    "ur": "کے میں کی ہے اور سے کا کو اس پر نے کہ ہیں یہ تھا ایک کر بھی تو وہ ہو نہیں جو کیا گیا اپنے لیے",
    "hi": "के में है की और से का को हैं यह पर कि ने एक था नहीं जो भी हो तो कर इस लिए वह या गया अपने",
    "mr": "आहे आणि या मध्ये ते हे की तर नाही आहेत होते एक किंवा केले होता साठी त्या असे मी पण हा ही काही",
    "ne": "र छ को मा हो यो पनि गर्न लागि भने छन् एक थियो गरेको तथा हुन् भएको बाट हुन्छ म त्यो गर्छ कुनै अनि",
}
"""About thirty of the commonest words of each language."""
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_SIGNS = "،؛؟۔"
"""Punctuation that is among a script's characters."""
SHORT = 10
"""A text of more words has some in the last of the scripts of its language: kana in Japanese."""
MIN_SHARE = 0.6
"""At least this share of the words must be in the language's script."""


def is_language(text: str, language: str) -> bool:
    """Whether a text is in a language, given by its ISO 639-1 code. A text without words counts as being in it, and one that has no common
    word of any language of its script.

    Raises:
        GroundTruthError: the language is not supported.
    """
    if language not in SCRIPTS_OF or (
        language not in _COMMON and list(SCRIPTS_OF.values()).count(SCRIPTS_OF[language]) > 1
    ):
        raise GroundTruthError(f"cannot distinguish language {language!r} from others")
    words = list(words_of(text))
    own = [word.strip(_SIGNS).lower() for script, word in words if script in SCRIPTS_OF[language]]
    if len(own) < MIN_SHARE * len(words) or (len(own) > SHORT and SCRIPTS_OF[language][-1] not in dict(words)):
        return False
    votes = {
        name: sum(word in common for word in own)
        for name, common in _WORDS.items()
        if SCRIPTS_OF[name] == SCRIPTS_OF[language]
    }
    return language not in votes or votes[language] == max(votes.values())
