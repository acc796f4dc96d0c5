"""How tools and systems say that a call failed or found nothing, in English and Chinese, as patterns.

Vocabulary only.
"""

from __future__ import annotations

import re

__all__ = [
    "CLEAR",
    "COUNTS",
    "EMPTY",
    "ENDS_IN_FAILURE",
    "JSON_FAILED",
    "NOTHING_IN_TABLE",
    "OWN_ERROR",
    "PLAIN",
    "SPEAKS_OF_FAILURE",
    "SUCCESS",
]


def _any(*parts: str) -> str:
    return "(?:" + "|".join(parts) + ")"


OWN_ERROR = re.compile(r"\[TOOL_ERROR\] ?\S.*")

_THINGS = (
    r"(?:\w+ ){0,3}(?:found|matche[sd]|results?|rows?|records?|entries|data|hits|items|files|documents|tickets"
    r"|orders)"
)
EMPTY = re.compile(
    _any(
        r"\(?(?:empty|none|null|nil|n/a|no output|no results?|no data)\)?[.!]?",
        rf"\(?no {_THINGS}(?: (?:found|matched|returned|available|exist))?"
        r"(?: (?:for|in|with|matching) .{1,60})?\)?[.!]?",
        r"\(?nothing (?:was )?(?:found|matched|returned|to show)\)?[.!]?",
        r"\(?(?:0|zero) (?:rows?|results?|records?|hits|matches|items|entries)(?: (?:found|matched|returned"
        r"|selected))?\)?[.!]?",
        r"\(?found (?:0|no) \w+\)?[.!]?",
        r"\(?empty (?:set|result|list|response|directory).{0,30}",
        r"[(（]?(?:空|无|没有输出|暂无(?:数据|记录|结果))[)）]?[。！]?",
        r"(?:没有|未)(?:找到|查到|搜到|查询到|匹配到?)?(?:任何|符合条件的|匹配的?|相关的?)?(?:记录|结果|数据|文件"
        r"|内容|匹配|订单|用户)?[。！]?",
        r"(?:查询|搜索)?结果为空[。！]?|共? ?0 ?[条个项](?:记录|结果|数据)?[。！]?",
        r"\[\s*\]|\{\s*\}|\"\"|''",
    ),
    re.IGNORECASE,
)
"""A whole result that says there is nothing."""

NOTHING_IN_TABLE = re.compile(
    r"^\(?0 rows?(?: in set)?\)?(?: \(.*\))?$|^Empty set\b|^No resources found", re.IGNORECASE | re.MULTILINE
)
"""A line under the head of a table without rows."""

_SHELL = r"(?:-?\w*(?:sh|bash|zsh)(?:\.exe)?: (?:line )?(?:\d+: )?\S+.*not found)"
CLEAR = re.compile(
    _any(
        r"E[A-Z]{3,}\b: ",
        r"Traceback \(most recent call last\)",
        r"(?:fatal|panic|abort(?:ed)?|unhandled exception|segmentation fault|uncaught \w+|exception in thread)\b",
        r"make(?:\[\d+\])?: \*\*\*|npm (?:ERR!|error)|error TS\d+|error\[E\d+\]",
        r"ERROR \d{4} \(|SQLSTATE\[|ORA-\d{5}|Msg \d+, Level \d+|psql: error|near \".*\": syntax error",
        r"Error from server|Error response from daemon|Error: |Unable to connect to the server",
        r"HTTP(?:/\d(?:\.\d)?)?(?: error)?:? [45]\d\d\b|curl: \(\d+\)|status(?: code)?:? [45]\d\d\b"
        r"|[45]\d\d (?:Client|Server) Error",
        r"(?:Access is denied|The system cannot find|Permission denied|Operation not permitted|Connection refused"
        r"|Connection timed out"
        r"|Connection reset|No such file or directory|command not found|No such container"
        r"|host key verification failed)",
        _SHELL,
        r"<(?:!doctype|html|head|title).*<title>[^<]*(?:\b[45]\d\d\b|not found|forbidden|error)",
        r"[45]\d\d [45]\.\d\.\d+ ",
        r"\S+: (?:command not found|not found|cannot \w+|permission denied|no such file or directory)",
        r"\w+: cannot \w+ ",
        r"(?:[\w.]*\.)?[A-Z]\w*(?:Error|Exception)(?:: |$)",
        r"\[?(?:error|failure|fatal)\]?\s?[:：]\s?\S",
        r"\S{0,8}(?:错误|出错了?|失败|异常|报错)(?:[:：]|$)|[\[【](?:错误|失败)[\]】]|\S{1,12}?(?:失败|出错"
        r"|报错)(?:[:：,，。]|了?$)",
    ),
    re.IGNORECASE,
)
"""The beginning of a line that reports a failure."""

PLAIN = re.compile(
    _any(
        r"error\b(?! (?:handling|codes?|budget|guide|class|messages?|log|page|report|rate|types?|reference|boundar"
        r"|analysis))",
        r"failed\b(?! (?:tests?|jobs?|builds?|orders?|payments?|logins?) ?[:|(])",
        r"(?:failure|could not|couldn't|cannot|can't|unable to|unauthori[sz]ed|forbidden|denied|not found"
        r"|not authori[sz]ed"
        r"|not permitted|not allowed|bad request|internal server error|service unavailable|too many requests"
        r"|rate limit|timed? ?out"
        r"|aborted|refused|rejected|access denied|unexpected error|something went wrong)\b",
        r"(?:\w+ ){1,3}(?:failed|rejected|denied|refused|aborted|timed out)(?:[:.,]|$| because| due)",
        r"invalid \w+|request (?:failed|timed out)|unknown (?:tool|command|option|table|column|host|user)"
        r"|missing (?:required|argument|parameter)",
        r"disk full|no space left|nothing was \w+|.{0,60}\balready (?:exists|in use|taken|registered)\b|binary file\b",
        r"please (?:sign|log) in|(?:sign|log)[ -]?in required|session (?:has )?expired",
        r"sorry[,. ]|authentication (?:failed|required)|exit(?:ed)?(?: with)?(?: (?:code|status))?:? [1-9]"
        r"|[45]\d\d [A-Z][a-z]+",
        r"(?:\w+ )?(?:is|was) (?:locked|read-only|unreachable|unavailable|rejected|denied)\b",
        r"无法|不能|找不到|没有权限|权限不足|拒绝访问|连接(?:失败|超时|被拒)|超时|未授权|不存在|无效的|操作失败"
        r"|请求失败|执行失败|参数错误|抱歉|对不起",
    ),
    re.IGNORECASE,
)
"""The beginning of a short text that reads like a failure."""

ENDS_IN_FAILURE = re.compile(
    r"\b(?:does not exist|doesn't exist|not found|no such \w+|permission denied|access denied|is not (?:recognized"
    r"|allowed|permitted|available"
    r"|valid|supported)|already exists|timed out|connection refused|could not be \w+|was not (?:\w+ed|found|sent"
    r"|written)|failed|is unreachable"
    r"|quota exceeded|out of memory|too large)[.!]?$|(?:不存在|未找到|没有找到|失败|错误|被拒绝|超时|已过期|权限不足"
    r"|没有权限|不可达|无效)[.!。！]?$",
    re.IGNORECASE,
)
"""The end of a short text that reads like a failure."""

JSON_FAILED = re.compile(
    r"\s*\{(?:(?!\n\s*\n).){0,200}?"
    + _any(
        r"\"(?:error|errors|exception)\"\s*:(?!\s*(?:null|\[\s*\]|\{\s*\}|false|\"\"|0\b))",
        r"\"(?:success|ok)\"\s*:\s*false",
        r"\"(?:status|result|state)\"\s*:\s*\"(?:error|failed|failure|fail)\"",
        r"\"(?:status|code|statusCode|status_code)\"\s*:\s*[45]\d\d\b",
    ),
    re.DOTALL | re.IGNORECASE,
)
"""An object whose first fields report a failure."""

COUNTS = re.compile(r"\b\d+ (?:passed|failed|errors?|skipped|warnings?|total|ok)\b", re.IGNORECASE)
"""A report of tests or checks: it was made, whatever it says."""

SUCCESS = re.compile(
    r"(?:ok|done|success\w*|completed?|created|updated|deleted|removed|sent|moved|wrote|written|saved|queued"
    r"|closed|opened|renamed"
    r"|restarted|started|stopped|scheduled|refunded|merged|pushed|deployed|assigned|added|inserted"
    r"|HTTP/\d(?:\.\d)? [23]\d\d)\b"
    r"|已(?!过期|存在|失效|拒绝|超时|锁定)\S|成功|\S{1,6}(?:成功|完成)",
    re.IGNORECASE,
)
"""The beginning of a line that reports success."""

SPEAKS_OF_FAILURE = re.compile(
    r"error|fail|denied|exception|locked|unavailable|unable|invalid|expired|missing|cannot|not found|refused|too large"
    r"|错误|失败|异常|拒绝|过大|无效|过期|找不到|无法",
    re.IGNORECASE,
)
"""A word that makes a single line doubtful."""
