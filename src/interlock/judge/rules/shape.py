"""What the shape of a tool's result says: it worked, it failed, or there was nothing.

Own tools report failure as one line and nothing found as one word; foreign texts are read by their first line.
Source: offline specification, principle 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Shape", "shape_of"]

Outcome: TypeAlias = Literal["worked", "failed", "empty"]

_OWN_ERROR = re.compile(r"\[TOOL_ERROR\] ?\S.*")
_EMPTY = re.compile(
    r"\(?(?:empty|none|null|nil|n/a|no output|no (?:\w+ ){0,3}(?:found|matche[sd]|results?|rows?|records?|entries|data|hits|items)"
    r"(?: (?:found|matched|returned|available))?|nothing (?:was )?(?:found|matched|returned|to show)|(?:0|zero) (?:rows?|results?|records?|hits|matches|items|entries)"
    r"(?: (?:found|matched|returned))?|found (?:0|no) \w+|empty (?:set|result|list|response|directory).*"
    r"|空|无|没有(?:找到|查到|搜到)?(?:任何|符合条件的|匹配的?)?(?:记录|结果|数据|文件|内容|匹配)?|未(?:找到|查到|匹配到?)(?:任何|符合条件的|匹配的?)?(?:记录|结果|数据|内容|文件|匹配)?"
    r"|(?:查询|搜索)?结果为空|暂无(?:数据|记录|结果))\)?[.!。！]?|\[\s*\]|\{\s*\}|\"\"|''",
    re.IGNORECASE,
)
_FAILED_EXACT = re.compile(
    r"(?:E[A-Z]{3,}: |Traceback \(most recent call last\)|fatal: |panic: |make: \*\*\*|make\[\d+\]: \*\*\*|npm ERR!|ERROR \d{4} \("
    r"|SQLSTATE\[|ORA-\d{5}|error\[E\d+\]|Error from server|Error response from daemon|Exception in thread|Unhandled exception"
    r"|Segmentation fault|HTTP/\d(?:\.\d)? [45]\d\d\b|curl: \(\d+\)|psql: error|Caused by: |Access is denied"
    r"|The system cannot find|Permission denied|Operation not permitted|Connection refused|Connection timed out"
    r"|No such file or directory|command not found|Uncaught \w|-bash: |\w*(?:sh|bash|zsh)(?:\.exe)?: (?:line )?(?:\d+: )?\S+.*not found"
    r"|\S+: (?:command not found|not found|cannot \w+|permission denied|no such file or directory)"
    r"|\w+: cannot \w+ |(?:[\w.]*\.)?[A-Z]\w*(?:Error|Exception)(?:: |$)|\[?(?:error|ERROR|Error)\]?\s?:\s"
    r"|(?:错误|出错了?|失败|异常|报错)(?:[:：]|$)|\[错误\]|(?:\S{1,12}?)失败(?:[:：,，。]|了?$))",
)
_FAILED_LIKELY = re.compile(
    r"^(?:error\b(?! (?:handling|codes?|budget|guide|classes|messages?|log|page|report|rate|types?|reference|boundar))|failed\b(?! (?:tests?|jobs?|builds?|orders?|payments?) ?[:|])"
    r"|failure\b|could not\b|couldn't\b|cannot\b|can't\b|unable to\b|unauthori[sz]ed\b"
    r"|forbidden\b|denied\b|invalid \w+|not found\b|not authori[sz]ed|not permitted|bad request|internal server error|service unavailable"
    r"|too many requests|rate limit|timed? ?out\b|request (?:failed|timed out)|aborted\b|refused\b|unknown (?:tool|command|option|table|column|host)"
    r"|sorry[,. ]|access denied|authentication (?:failed|required)|exit (?:code|status):? [1-9]|exited with (?:code )?[1-9]|[45]\d\d [A-Z][a-z]+"
    r"|无法|不能|找不到|没有权限|权限不足|拒绝访问|连接(?:失败|超时|被拒)|超时|未授权|不存在|无效的|操作失败|请求失败|执行失败)"
    r"|\b(?:does not exist|doesn't exist|not found|no such \w+|permission denied|access denied|is not (?:recognized|allowed|permitted|available)"
    r"|already exists|timed out|connection refused|could not be \w+|was not \w+ed|failed)[.!]?$"
    r"|(?:不存在|未找到|没有找到|失败|被拒绝|超时|已过期|权限不足|没有权限)[.!。！]?$",
    re.IGNORECASE,
)
_JSON_FAILED = re.compile(
    r"^\s*\{(?:(?!\n\s*\n).){0,200}?\"(?:error|errors|exception)\"\s*:\s*(?!null|\[\s*\]|\{\s*\}|false|\"\"|0\b)"
    r"|^\s*\{(?:(?!\n\s*\n).){0,200}?\"(?:success|ok)\"\s*:\s*false|^\s*\{(?:(?!\n\s*\n).){0,200}?\"(?:status|result|state)\"\s*:\s*\"(?:error|failed|failure|fail)\""
    r"|^\s*\{(?:(?!\n\s*\n).){0,200}?\"(?:status|code|statusCode|status_code)\"\s*:\s*[45]\d\d\b",
    re.DOTALL | re.IGNORECASE,
)
_COUNTS = re.compile(r"\b\d+ (?:passed|failed|errors?|skipped|warnings?|total|ok)\b", re.IGNORECASE)
_ZERO_ROWS = re.compile(r"^\(?0 rows?(?: in set)?\)?\b", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How one result looks."""

    outcome: Outcome
    certain: bool
    """True when the result follows a form that is used for nothing else."""


def shape_of(result: str) -> Shape:
    """Return how `result` looks, judged without knowing which tool gave it."""
    text = result.strip()
    lines = text.split("\n")
    first = lines[0].strip()
    if not text or _EMPTY.fullmatch(text):
        return Shape(outcome="empty", certain=True)
    if _OWN_ERROR.fullmatch(first):
        return Shape(outcome="failed" if len(lines) == 1 else "worked", certain=len(lines) == 1)
    if _ZERO_ROWS.search(text) and len(lines) <= 4:
        return Shape(outcome="empty", certain=False)
    if _COUNTS.search(first):
        return Shape(outcome="worked", certain=True)
    if _JSON_FAILED.match(text):
        return Shape(outcome="failed", certain=True)
    if _FAILED_EXACT.match(first):
        return Shape(outcome="failed", certain=len(lines) <= 3)
    if (
        _FAILED_LIKELY.search(first[:200])
        and not first.startswith(("#", "//", "/*", "- ", "* ", "{", "|"))
        and len(lines) <= 3
    ):
        return Shape(outcome="failed", certain=False)
    return Shape(
        outcome="worked", certain=len(lines) > 1 or not re.search(r"error|fail|denied|错误|失败", first, re.IGNORECASE)
    )
