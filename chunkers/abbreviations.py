"""Words that a full stop follows without ending their sentence, by language. All lower case, without the stop."""

from __future__ import annotations

from functools import cache


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
    "en": "v",
    "de": "z b h bzw usw vgl ca nr abs str hr fr evtl ggf inkl exkl zzgl bzgl sog u.a d.h z.b o.ä s bd hrsg aufl mio"
    " mrd tel geb gest allg max min fa u i a m n o v abb tab kap anm bsp ziff jh jhd std sek gem lt med phil jur rer"
    " nat dipl ing",
    "fr": "m mm mme mlle me dr p pp ex env av bd cf éd vol chap art fig p.ex boul tél st ste sté cie apr mgr"
    " l'art d'env",
    "es": "sr sra sres dra d ud uds pág págs núm art cap fig aprox ee uu admón avda izq dcha dña srta depto tel gral"
    " excmo lic ing",
    "pt": "sr sra dra exmo exma pág núm art cap fig av aprox",
    "it": "sig sigg dott prof ing avv ecc pag pagg art artt cap fig es spett n p pp vol"
    " l'avv l'ing l'art dell'art all'art nell'art dall'art",
    "nl": "bijv dhr mevr nl blz enz resp ca evt incl m.b.t d.w.z",
    "pl": "np tzn tzw ul prof nr m.in itd itp godz r w mld mln tys",
    "cs": "např tzv ul č tj resp atd apod",
    "sv": "t.ex bl.a dvs osv kl nr ca",
    "da": "f.eks bl.a dvs osv kl nr ca",
}
#: Those that a sentence does end with: it does where a capital letter follows.
MAY_END = _words(
    "al etc a.m p.m co inc ltd corp jr bros usw itd itp ecc enz osv atd г гг в вв руб коп тыс млн млрд"
    " др т.п т.д с р тел"
)
#: Those that only a number goes on after.
BEFORE_NUMBERS = _words(
    "no nos nr fig figs eq eqs sec secs art arts par para paras cl ch chap vol vols p pp ed ca app tab abb kap anm ziff"
    " ex ext tel tél est ft pt ref refs thm lem rd blvd ave lb oz min max ver v c b d n ок"
)
#: Languages that write `3. Oktober`, and the months, for where the language is not known.
ORDINAL_LANGUAGES = frozenset(
    {"de", "da", "nb", "nn", "no", "fi", "cs", "sk", "hu", "pl", "sl", "hr", "et", "is", "lv"}
)
MONTHS = _words("januar februar märz april mai juni juli august september oktober november dezember jänner december")


@cache
def abbreviations(language: str | None) -> frozenset[str]:
    """Those of every language, and of `language` (ISO 639-1)."""
    return _words(f"{_EVERYWHERE} {_OF.get(language or '', '')}")
