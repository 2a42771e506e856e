"""Words that a full stop follows without ending their sentence, by language. All lower case, without the stop."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


#: In every language: none of them is a word that often ends a sentence in another.
_EVERYWHERE = (
    "e.g i.e cf vs viz approx dr mr mrs ms prof messrs st jr sr dept univ assn bros inc ltd corp co gen col capt lt sgt"
    " rev hon gov sen rep pres supt jan feb mar apr jun jul aug sep sept oct nov dec mt al etc a.m p.m ph.d"
    # Russian and its neighbours: titles, places, references, units
    " г гг в вв ул пр просп пл пер д кв корп стр рис табл гл ст п пп ч см ср напр др проф акад доц им обл р тыс млн"
    " млрд руб коп т т.е т.к т.н т.о т.п т.д гр тов ред изд сост пос дер тел с е к н о г-н г-жа"
)
_OF: dict[str, str] = {
    "en": "v incl excl misc orig",
    "de": "z b h bzw usw vgl ca nr abs str hr fr evtl ggf inkl exkl zzgl bzgl sog u.a d.h z.b o.ä s bd hrsg aufl mio"
    " mrd tel geb gest allg max min fa u i a m n o v abb tab kap anm bsp ziff jh jhd std sek gem lt med phil jur rer"
    " nat dipl ing",
    "fr": "m mm mme mlle me dr p pp ex env av bd cf éd vol chap art fig p.ex boul tél st ste sté cie apr mgr",
    "es": "sr sra sres dra d ud uds pág págs núm art cap fig aprox ee uu admón avda izq dcha dña srta depto tel gral"
    " excmo lic ing",
    "pt": "sr sra dra exmo exma pág núm art cap fig av aprox",
    "it": "sig sigg dott prof ing avv ecc pag pagg art artt cap fig es spett n p pp vol",
    "nl": "bijv dhr mevr nl blz enz resp ca evt incl m.b.t d.w.z",
    "pl": "np tzn tzw ul prof nr m.in itd itp godz r w mld mln tys",
    "cs": "např tzv ul č tj resp atd apod",
    "sv": "t.ex bl.a dvs osv kl nr ca",
    "da": "f.eks bl.a dvs osv kl nr ca",
}
#: Those that a sentence does end with: it does where a capital letter follows.
MAY_END = _words(
    "al etc co inc ltd corp jr bros usw itd itp ecc enz osv atd г гг в вв руб коп тыс млн млрд др т.п т.д с р тел"
)
#: Those that only a number goes on after.
BEFORE_NUMBERS = _words(
    "no nos nr fig figs eq eqs sec secs art arts par para paras cl ch chap vol vols p pp ed ca app tab abb kap anm ziff"
    " ex ext tel tél est ft pt ref refs thm lem rd blvd ave lb oz min max ver v c b d n ок"
)
#: Those that a sentence ends with before one of the starters alone: a name may follow them, and so may a noun.
BEFORE_STARTERS = _words("a.m p.m ph.d st dept univ assn jan feb mar apr jun jul aug sep sept oct nov dec esq str")
#: Words that begin sentences and are no names: after `the U.S.`, `World War I.`, `in der Hauptstr. 5.`
_STARTERS = (
    "he she it we they this that these those there then the but when however his its their our after although because"
    " despite during if in since thus therefore what where while why another according also instead meanwhile moreover"
    " furthermore finally nobody"
    " он она оно они мы это этот эта эти тогда затем но однако его её их там здесь после поэтому также"
)
_STARTERS_OF: dict[str, str] = {
    "de": "er sie es wir der die das ein eine dies diese dieser dieses dann danach aber doch jedoch auch so sein ihr"
    " wenn",
    "da": "det den de han hun vi og men der",
    "no": "det den de han hun vi og men der",
    "nb": "det den de han hun vi og men der",
    "nn": "det den dei han ho vi og men der",
    "fi": "se hän he ne tämä mutta kun",
    "cs": "to ten ta je on ona ale pak",
    "pl": "to ten ta te on ona oni jest ale potem",
}
#: Those of them that are names too, which the text after them has to tell apart: `K. He and others`
NAMES_TOO = _words("he she so er")
#: Ends of compounds: `Hauptstr. 5`, `Hausnr. 3`
_ENDINGS: dict[str, tuple[str, ...]] = {"de": ("str", "nr", "pl")}
#: Languages that write `3. Oktober`, and the months, for where the language is not known.
_ORDINAL_LANGUAGES = frozenset(
    {"de", "da", "nb", "nn", "no", "fi", "cs", "sk", "hu", "pl", "sl", "hr", "et", "is", "lv"}
)
MONTHS = _words("januar februar märz april mai juni juli august september oktober november dezember jänner december")


class Vocabulary(NamedTuple):
    """What is known of the words of a language."""

    abbreviations: frozenset[str]
    listed: frozenset[str]  #: those, and what only a number goes on after
    endings: tuple[str, ...]  #: of further abbreviations
    starters: frozenset[str]  #: that begin a sentence where a name is possible too
    ordinals: bool  #: whether it writes `3. Oktober`


@cache
def vocabulary(language: str | None) -> Vocabulary:
    """Those of every language, and of `language` (ISO 639-1)."""
    code = language or ""
    known = _words(f"{_EVERYWHERE} {_OF.get(code, '')}")
    return Vocabulary(
        abbreviations=known,
        listed=known | BEFORE_NUMBERS,
        endings=_ENDINGS.get(code, ()),
        starters=_words(f"{_STARTERS} {_STARTERS_OF.get(code, '')}"),
        ordinals=code in _ORDINAL_LANGUAGES,
    )


def in_any_language() -> frozenset[str]:
    """Every word that a full stop may follow without ending its sentence."""
    return frozenset().union(*(vocabulary(language).listed for language in _OF))
