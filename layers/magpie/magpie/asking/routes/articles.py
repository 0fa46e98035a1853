"""
Articles from metadata: the latest, the oldest, those of a month or a year, how many, by whom.

What likeness cannot find. A question about a topic goes on to the search, within articles.
"""

import re
from collections.abc import Sequence
from datetime import date

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.period import Period, period_in
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears, holds_any, plain, without
from magpie.model import Mode, Passage
from magpie.ports import SearchFilter, SourceRow
from magpie.text.stems import key_words

MOST_LISTED = 8


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """Certain where metadata alone answer; None where the question is not about the articles as such."""
    if not (hears("article", asked.text) or _says_noun(asked)):
        return None
    rows = dated(asked.of_rule())
    period = period_in(asked.text, asked.today)
    author = _author(rows, asked.text)
    kept = tuple(row for row in rows if _is_of(row, period, author))
    if not rows:
        return None
    if _names_a_topic(asked, author):
        return _topic(asked, period)
    if hears("how_many", asked.text) and _says_noun(asked):
        return await _counted(asked, reader, kept, period, author)
    if period or author:
        return await _listed(asked, reader, kept, "articles_in_period" if period else "articles_by_author")
    if not _says_noun(asked):
        return None
    if hears("latest", asked.text):
        return await _listed(asked, reader, kept[: asked.rule.limit], "articles_latest")
    if hears("oldest", asked.text):
        return await _listed(asked, reader, kept[::-1][:1], "articles_oldest")
    return None


def _says_noun(asked: Asked) -> bool:
    """Whether the question speaks of articles, by the usual words or by what this site calls them."""
    return hears("article_noun", asked.text) or holds_any(asked.rule.words, asked.text)


def dated(rows: Sequence[SourceRow]) -> tuple[SourceRow, ...]:
    """Rows with a date, newest first; of one day in the order of their keys."""
    known = [row for row in rows if row.published is not None]
    return tuple(sorted(known, key=lambda row: (row.published or date.min, str(row.key)), reverse=True))


def _is_of(row: SourceRow, period: Period | None, author: str) -> bool:
    in_period = period is None or (row.published is not None and period.first <= row.published <= period.last)
    return in_period and (not author or author in authors_of(row))


async def _counted(
    asked: Asked, reader: Reader, kept: Sequence[SourceRow], period: Period | None, author: str
) -> Routed:
    if not kept:
        return Routed(
            answer=asked.answer(
                route="articles_count", direct=_count(0, period, author), reason="none counted"
            )
        )
    passages = await _first_chunks(reader, kept[: asked.rule.limit])
    direct = _count(len(kept), period, author)
    answer = asked.answer(
        passages, route="articles_count", direct=direct, certain=asked.is_whole, reason="counted"
    )
    return Routed(answer=answer)


def _topic(asked: Asked, period: Period | None) -> Routed | None:
    """Articles on something: the search, within articles and the period."""
    types = frozenset(asked.rule.types)
    if not types or not (asked.item.mode is Mode.ARTICLE_DISCOVERY or hears("seeks_articles", asked.text)):
        return None
    narrow = SearchFilter(
        source_types=types,
        published_from=period.first if period else None,
        published_to=period.last if period else None,
    )
    return Routed(
        answer=asked.answer(route="articles_topic", reason="articles on a topic"), fills=True, narrow=narrow
    )


def _count(number: int, period: Period | None, author: str) -> str:
    when = (
        ""
        if period is None
        else f" published in {period.year}" + (f"-{period.month:02d}" if period.month else "")
    )
    return f"articles{when}{f' by {display_name(author)}' if author else ''}: {number}"


async def _listed(asked: Asked, reader: Reader, kept: Sequence[SourceRow], route: str) -> Routed | None:
    if not kept:
        return None
    passages = await _first_chunks(reader, kept[:MOST_LISTED])
    reason = f"{len(kept)} articles by metadata"
    return Routed(answer=asked.answer(passages, route=route, certain=asked.is_whole, reason=reason))


async def _first_chunks(reader: Reader, rows: Sequence[SourceRow]) -> tuple[Passage, ...]:
    return ranked(await reader.of_sources([row.key for row in rows]))


# --- Authors and topics -----------------------------------------------------------------------


def authors_of(row: SourceRow) -> tuple[str, ...]:
    """Names or keys of who wrote it, folded."""
    values = (row.metadata.get("authors"), row.metadata.get("author"), row.person_key)
    flat = [name for value in values for name in (value if isinstance(value, (list, tuple)) else [value])]
    return tuple(dict.fromkeys(plain(str(name)) for name in flat if name))


def display_name(author: str) -> str:
    """`ana-maria-luz` as `Ana Maria Luz`."""
    return " ".join(word[:1].upper() + word[1:] for word in re.split(r"[-_\s]+", author))


def _author(rows: Sequence[SourceRow], text: str) -> str:
    known = {author for row in rows for author in authors_of(row)}
    here = f" {plain(text)} "
    return next(
        (
            a
            for a in sorted(known, key=len, reverse=True)
            if len(a) > 4 and f" {re.sub('[-_]', ' ', a)} " in here
        ),
        "",
    )


# Words that a question about articles as such is made of, in the stems of its language.
_FRAME = """article post blog entry publish publication publications write written wrote site website page date day time year month
    come came out new newest late latest recent last old oldest early first many number count total list title call name
    author day is it be date read about do does there far so ever now currently today
    artigo artigos texto publicar publicação publicaram site página data ano mês recente último antigo primeiro quantos escreveu saiu
    vosso vossa blogue nome título há existem têm autor mais
    artículo artículos entrada publicar publicaron sitio página fecha año mes reciente último antiguo primero cuántos escribió salió
    vuestro título hay existen tienen autor más
    article billet publié site page date année mois récent dernier ancien premier combien écrit paru titre auteur plus
    artikel beitrag beiträge veröffentlicht seite webseite datum jahr monat neueste letzte älteste erste viele geschrieben heißt titel autor
    articolo articoli pubblicato sito pagina data anno mese recente ultimo vecchio primo quanti scritto titolo autore più
    artikel bericht gepubliceerd site pagina datum jaar maand nieuwste laatste oudste eerste hoeveel geschreven titel auteur
    habt haben ihr avez vous avez-vous avete hebben jullie hanno han
    bài viết có các bạn công ty trang ngày năm tháng mới nhất cũ đầu tiên bao nhiêu mấy tác giả tên đăng blog"""


def _names_a_topic(asked: Asked, author: str) -> bool:
    """Whether words remain that are neither the frame of such a question, nor a date, nor the author's name."""
    frame = _frame_stems(asked.language) | frozenset(key_words(author.replace("-", " "), asked.language))
    site = frozenset(key_words(f"{asked.site.site.name} {asked.site.persona.name}", asked.language))
    text = without(asked.text, asked.rule.words, ())
    left = [w for w in key_words(text, asked.language) if w not in frame and w not in site]
    return any(not word.isdigit() and not _is_month_word(word, asked.language) for word in left)


def _frame_stems(language: str) -> frozenset[str]:
    return frozenset(key_words(_FRAME, language))


def _is_month_word(word: str, language: str) -> bool:
    from magpie.text.dates import MONTHS

    return any(word == stem for month in MONTHS for stem in key_words(month, language))
