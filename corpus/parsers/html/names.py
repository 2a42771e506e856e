"""Classes and ids by which the common generators of pages name what is not a page's text."""

from __future__ import annotations

import re

#: an aside of this class is a remark that belongs to the text
REMARK = re.compile(
    r"(?:^|[-_])(?:note|notice|tip|hint|info|important|warning|caution|danger|alert|admonition|callout"
    r"|aside|example|footnotes?|sidenote|marginnote|pull-?quote|box)(?:$|[-_])"
)

REMARK_ROLES = frozenset({"note", "doc-footnote", "doc-endnotes", "doc-tip", "doc-notice", "doc-example"})

_PLACE = r"(?:(?:site|page|main|top|global|primary|secondary|left|right|docs?|book|bottom|side|mobile|wy|md|mw)[-_]?)?"
_TAIL = r"(?:[-_](?:bar|links?|menu|list|container|wrapper|inner|content|side|top|items?|section|buttons?))?"
#: classes and ids of furniture
STRONG = re.compile(
    rf"{_PLACE}(?:nav|navbar|navheader|navfooter|navigation|footer|sidebar|breadcrumbs?|topbar|navpath|masthead){_TAIL}"
    r"|(?:cookie|consent|gdpr|onetrust|newsletter|subscribe|breadcrumb|advert|social|share|sharing)[\w-]*"
    r"|ads?|adsbygoogle|banner|skip-?(?:link|nav|to-?content|to-?main)\w*|mw-jump-link|pagination|pager|prev-?next"
    r"|noprint|no-print|printfooter|catlinks|navbox|mw-editsection|mw-portlet\w*|vector-dropdown|vector-menu"
    r"|vector-header-container|mw-indicators|sr-only|visually-hidden|visuallyhidden|screen-reader-text|screenreader"
    r"|sphinxsidebar|related-articles|rst-footer-buttons|edit-?this-?page|edit-page-link|theme-edit-this-page"
    r"|copy-?button|copybtn"
    r"|modal|popup|popover|overlay|tooltip|msotoc\w*|comment-?respond|comment-?form|cc-window|cky-consent\w*"
    r"|[\w-]*cookie-?(?:bar|banner|notice|law|consent|policy-?bar|dialog|popup|message|wall)[\w-]*"
)
#: as these, wherever they stand: the way back from a note to the text
BACKLINKS = re.compile(r"mw-cite-backlink|footnote-?back(?:ref|link)?|reversefootnote")
#: classes of what folds out, hidden until it does
FOLDS = re.compile(
    r"(?:[\w-]*[-_])?(?:expand\w*|collaps\w*|accordion\w*|tab-?pane|tab-?content|tab-?panel|spoiler\w*|toggle\w*|answers?"
    r"|faq\w*|fold\w*|panels?|reveal\w*)(?:[-_][\w-]*)?"
)
#: as these, where there is nothing but numbers: some pages name the code so that has them
NUMBERS = re.compile(r"linenos?|linenodiv|line-?numbers?|gutter|gl|hljs-ln-numbers|blob-num|rouge-gutter")
#: as these, where most of the text are links
WEAK = re.compile(
    r"menu|toc|tocs|table-of-contents|tableofcontents|contents|on-this-page|header|related|links|tabs|dropdown"
    r"|dropdown-menu|languages?|lang-switch\w*|tags|categories|meta|side|left|right|home-link|up-link|toctree-wrapper"
    r"|[\w-]*(?:nav|navbar|navigation|menu|breadcrumbs?|toc)(?:[-_][\w-]*)?|toc[\w-]*|[\w-]*header(?:[-_][\w-]*)?"
)
#: as these, where a third of the text are links: a table of contents has a title, too, and numbers
CONTENTS = re.compile(r"toc\d?|toctree-wrapper|table-?of-?contents|on-this-page")
#: roles of furniture
ROLES = frozenset(
    {
        "navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog", "menu", "menubar",
        "toolbar", "tooltip", "tablist",
    }
)  # fmt: skip
#: a style by which an element is not shown
HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
#: classes of a button that is the name of what stands below it
DISCLOSES = re.compile(r"[\w-]*(?:accordion|faq|collapsible|disclosure|expander|spoiler)[\w-]*|question")
#: what is written on buttons that only act, in lower case
ACTS = re.compile(
    r"(?:show|hide|view|read|see|learn|load|expand|collapse|toggle|open|close)"
    r"(?:[ ](?:all|more|less|fewer|full|the|this|code|source|details?|menu|answers?|solution|everything|content|text"
    r"|comments?|replies|transcript|options|filters?|nav|navigation|sidebar|section|\d+)){0,4}"
    r"|(?:main )?menu|more|less|details|next|prev|previous|back|play|pause|search|share|copy|copied|filters?|sort"
    r"|settings|ok|subscribe|edit|print|download|(?:go to )?(?:slide|page|item) \d+(?: of \d+)?"
    r"|accept(?: all)?(?: cookies)?"
    r"|(?:mehr|weniger)(?: (?:anzeigen|erfahren|lesen))?|weiterlesen|menü|suche|suchen|teilen|kopieren|schließen"
    r"|(?:voir|afficher|en savoir|lire) (?:plus|moins|la suite)|partager|rechercher|copier|fermer"
    r"|(?:ver|leer|mostrar|saber) (?:más|menos)|menú|buscar|compartir|copiar|cerrar"
    r"|подробнее|ещё|читать далее|показать(?: (?:ещё|все|всё))?|скрыть|меню|поиск|найти|поделиться|копировать|закрыть"
    r"|展开|收起|更多|查看更多|显示更多|阅读更多|菜单|搜索|分享|复制|关闭"
)
_LONGEST_NAME = 60  #: characters of a class that is a word and not a program's output


def named(pattern: re.Pattern[str], names: list[str]) -> bool:
    """Whether one of the names of an element is such a one."""
    return any(len(name) <= _LONGEST_NAME and pattern.fullmatch(name) for name in names)
