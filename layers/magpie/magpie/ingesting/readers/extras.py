"""
What stands in Markdown files and is not Markdown: MDX, Liquid, Hugo shortcodes, admonitions.

Code is left alone: a page about shortcodes shows them in code.
"""

import re

_FENCE = r"^[ \t>]*(?P<mark>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*(?P=mark)[`~]*[ \t]*$|\Z)"
_HIGHLIGHT = (
    r"\{%-?\s*highlight\s*(?P<lang>[\w+#-]*)[^%]*-?%\}[ \t]*\n?(?P<code>.*?)\{%-?\s*endhighlight\s*-?%\}"
)
_HUGO_CODE = (
    r"\{\{[<%]\s*highlight\s+(?P<hugo>[\w+#-]+)[^}]*[>%]\}\}[ \t]*\n?"
    r"(?P<shown>.*?)\{\{[<%]\s*/\s*highlight\s*[>%]\}\}"
)
_RAW = r"\{%-?\s*raw\s*-?%\}(?P<raw>.*?)\{%-?\s*endraw\s*-?%\}"
_COMMENT = r"\{%-?\s*comment\s*-?%\}.*?\{%-?\s*endcomment\s*-?%\}"
_TEMPLATE_BLOCK = re.compile(f"{_FENCE}|{_HIGHLIGHT}|{_HUGO_CODE}|{_COMMENT}", re.DOTALL | re.MULTILINE)
_CODE_SPAN = r"(?<!`)(?P<ticks>`+)(?!`).{1,4000}?(?<!`)(?P=ticks)(?!`)"
_INLINE = re.compile(
    # Up to the next opening mark only: an unclosed one must not look to the end of the page.
    rf"{_CODE_SPAN}|{_RAW}|\{{\{{(?:(?!\{{\{{).)*?\}}\}}|\{{%(?:(?!\{{%).)*?%\}}|\{{:[^}}\n]*\}}",
    re.DOTALL,
)
_RAW_MARK = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")
_CAPTION = re.compile(r"""\{\{[<%]\s*figure\b[^}]*?\bcaption=["]([^"]*)["]""")
_TABLE_OF_CONTENTS = re.compile(r"\s*[^\n]{1,40}\n\s*\{:\s*toc[^}\n]*\}\s*", re.IGNORECASE)
_MDX_INLINE = re.compile(rf"{_CODE_SPAN}|\{{\s*/\*(?:(?!\{{\s*/\*).)*?\*/\s*\}}", re.DOTALL)
_MDX_EXPRESSION = re.compile(r"\s*\{[A-Za-z_$][^{}]*\}\s*")
_MDX_ATTRIBUTE = re.compile(r"(?<=[\w-])=\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
_ADMONITION = re.compile(r"^[ \t]*:{3,}[ \t]*[\w-]*[ \t]*(?:\[(.*)\]|(.*?))[ \t]*(?:\{.*\})?$", re.MULTILINE)
_ALERT = re.compile(r"^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION|\w+)\][-+]?[ \t]*", re.IGNORECASE)
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]+\](?!:)")
_MODULE_LINE = re.compile(
    r"""^(?:import\s*(?:["'{*]|type\b|[\w$]+\s*(?:,|from\b|$))|export\s*(?:[{*]|(?:default|const|let|var|function|async|class|type|interface|enum)\b))"""
)
_FENCE_LINE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")


def without_template_blocks(source: str) -> str:
    """`highlight` of Liquid and Hugo becomes a fence, `comment` goes; fences stay as they are."""
    return _TEMPLATE_BLOCK.sub(_template_block, source) if "{%" in source or "{{" in source else source


def _template_block(match: re.Match[str]) -> str:
    if match["mark"]:
        return match[0]
    if match["shown"] is not None:
        return f"\n```{match['hugo']}\n{match['shown'].strip(chr(10))}\n```\n"
    if match["code"] is None:
        return ""
    code = re.sub(r"^[ \t]*\{%.*?%\}[ \t]*\n|\{%.*?%\}", "", match["code"], flags=re.DOTALL | re.MULTILINE)
    return f"\n```{match['lang'] or ''}\n{code.strip(chr(10))}\n```\n"


def without_modules(source: str) -> str:
    """MDX without its `import` and `export` statements."""
    kept: list[str] = []
    fence = ""
    depth = 0
    in_module = False
    for line in source.split("\n"):
        fence = _fence_after(line, fence)
        if not in_module and not fence and _MODULE_LINE.match(line):
            in_module, depth = True, 0
        if not in_module:
            kept.append(line)
            continue
        depth += sum(line.count(mark) for mark in "{[(") - sum(line.count(mark) for mark in "}])")
        in_module = depth > 0 and bool(kept or line)
    return "\n".join(kept)


def _fence_after(line: str, fence: str) -> str:
    match = _FENCE_LINE.match(line)
    if not match:
        return fence
    if not fence:
        return match[1]
    return "" if match[1][0] == fence[0] and len(match[1]) >= len(fence) else fence


def without_shortcodes(text: str, *, is_mdx: bool = False) -> str:
    """A paragraph's source without shortcodes, Liquid, kramdown attributes, admonition marks."""
    if _TABLE_OF_CONTENTS.fullmatch(text):
        return ""
    if "{" in text:
        text = _INLINE.sub(_only_code, text)
    if is_mdx and "{" in text:
        text = _MDX_ATTRIBUTE.sub('=""', _MDX_INLINE.sub(_only_code, text))
        text = "" if _MDX_EXPRESSION.fullmatch(text) else text
    if ":::" in text:
        text = _ADMONITION.sub(lambda match: (match[1] or match[2] or "").strip(), text)
    if "[" in text:
        text = _FOOTNOTE_MARK.sub("", _ALERT.sub("", text))
    return text


def _only_code(match: re.Match[str]) -> str:
    if match["ticks"]:
        return _RAW_MARK.sub("", match[0]) if "raw" in match[0] else match[0]
    if (raw := match.groupdict().get("raw")) is not None:
        return raw.replace("{", "&#123;")  # shown as they are, and no shortcode any more
    caption = _CAPTION.match(match[0])
    return caption[1] if caption else ""
