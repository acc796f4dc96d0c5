"""Which effects a task requires, and on what.

Reads the task and the names of files already known; knows nothing of what was done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.judge.rules.clauses import Clause, clauses_of
from interlock.judge.rules.filesets import meant_files
from interlock.judge.rules.verbs import OBSERVING
from interlock.tools.mentions import Mentions, find_named, mentions

__all__ = ["Goal", "goals_of", "is_small_talk", "speaks_of_workspace"]

Scope: TypeAlias = Literal["all", "some", "open"]

_LISTS = re.compile(
    r"\b(?:list|show|enumerate)\b.*\b(?:files?|folders?|director(?:y|ies)|contents?|tree)\b"
    r"|\bwhat(?:'s| is| are|s)?\b.*\b(?:in|inside|under)\b (?:this|the|that|my|our|your)? ?(?:current |working )?(?:folder|directory|repo|repository|project)\b"
    r"|\b(?:which|what|how many) (?:\w+ )?(?:files?|folders?|director(?:y|ies))\b (?:are|is|do we have|exist|does|do you see|live|lie|can)\b"
    r"|\b(?:summari[sz]e|describe|tell me) what(?:'s| is) in\b"
    r"|(?:列出|列一下|列举|显示|看看?|告诉我).*(?:文件|目录|文件夹)(?!名?里.*(?:的|定义|函数))|(?:目录|文件夹|项目|仓库)(?:里|下|中|里面|下面)?(?:都)?有(?:什么|哪些|多少|几个)|有(?:哪些|多少个?|几个)文件",
    re.IGNORECASE | re.DOTALL,
)
_INSIDE = re.compile(
    r"\b(?:functions?|classes|methods?|exports?|defin\w+|headings?|lines?|words?|tests?|errors?|todos?|content of)\b|函数|类|方法|导出|定义|内容|标题|行|错误",
    re.IGNORECASE,
)
_FINDS = re.compile(
    r"\b(?:which|what|find|locate|in which|name)\b(?: (?:the|a|all|me|every))? (?:\w+ )?(?:files?|modules?|scripts?|documents?|places?)\b|\bwhere\b|\bfind\b|\bsearch\b|\bgrep\b|\blocate\b|\bwhich of\b"
    r"|哪个文件|哪些文件|在哪|哪里|哪儿|查找|搜索|找出|找到|找一下|哪一个",
    re.IGNORECASE,
)
_DESTINATION = re.compile(
    r"(?:\b(?:to|into|in|as|called|named|at|under)\b(?: an?| the)?(?: new)?(?: file)?(?: called| named)?|写到|写入|写进|存为|存到|存成|存入|保存为|保存到|记到|导出到|抄到|抄进|复制到|拷贝到|加到|添加到|追加到|新文件|文件|叫|到|进|至|成|为)\s*[`\"'“「]?$",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\b(?:from|in|inside|of|within|out of)\s+(?:the )?(?:file )?[`\"']?$", re.IGNORECASE)
_EDITS = re.compile(
    r"^\W*(?:fix|change|replace|update|edit|append|modify|correct|refactor|bump|set|adjust|increase|decrease|lower|raise|amend|tidy|reformat|prepend|implement|insert|translate the)\b"
    r"|更新|修改|改成|改为|修复|修正|替换|追加|插入|设置|设为|设成|调整|改一下",
    re.IGNORECASE,
)
_COPIES = re.compile(
    r"\b(?:copy|convert|translate|turn|summari[sz]e|extract|duplicate|export|put|write|save|merge|move)\b|复制|拷贝|抄|转成|转换|翻译|总结|提取|导出|概括|写",
    re.IGNORECASE,
)
_PIECE = re.compile(
    r"\b(?:function|class|method|variable|constant|line|lines|section|paragraph|import|imports|comment|comments|row|column|key|entry|heading|test case|word|typo|field|parameter|option|todo)\b|函数|类|方法|变量|常量|行|段|章节|注释|字段|参数|条目",
    re.IGNORECASE,
)
_WORKSPACE = re.compile(
    r"\b(?:files?|folders?|director\w+|projects?|repo\w*|code|codebase|modules?|scripts?|config\w*|logs?|builds?|tests?|database|tables?|rows?|columns?|tickets?|issues?|invoices?|orders?|customers?|users?|accounts?|servers?|services?|pods?|clusters?|deployments?|incidents?|alerts?|branch\w*|commits?|emails?|messages?|contracts?|documents?|docs|readme|changelog|package|packages|dependenc\w+|functions?|class(?:es)?|endpoints?|api|version|port|schema|settings?|license|licence|report|meeting|calendar|stock|inventory|payments?|subscriptions?|passwords?|secrets?|environment|pipeline|release|backups?|disk|memory|cpu|errors?|page|header|footer|website|app|application|library|timeout|limit|queue|balance|budget|sheet|spreadsheet|workspace|here)\b"
    r"|文件|目录|文件夹|项目|仓库|代码|模块|脚本|配置|日志|构建|测试|数据库|表|记录|工单|发票|订单|客户|用户|账户|账号|服务器|服务|集群|部署|故障|告警|分支|提交|邮件|消息|合同|文档|依赖|函数|类|接口|版本|端口|许可证|报告|会议|日程|库存|付款|密码|密钥|环境|备份|磁盘|内存|页面|超时|余额|预算|表格",
    re.IGNORECASE,
)
_ARITHMETIC = re.compile(
    r"^(?:what(?:'s| is)|how much is|calculate|compute|evaluate|work out)?\s*[\d(][\d\s.,()+*/^×÷%=-]*(?:(?:plus|minus|times|divided by|multiplied by|over|to the power of|mod|percent of|% of|squared|cubed|x|and)\s*[\d\s.,()+*/^×÷%=-]*)*\s*[?.=]*$"
    r"|^(?:请)?(?:计算|算一下|请问|求)?\s*[\d(][\d\s.,()+*/^×÷%-]*(?:(?:加上?|减去?|乘以?|除以|的|平方|立方|和|与|次方)\s*[\d\s.,()+*/^×÷%-]*)*(?:等于|是)?(?:多少|几)?[?？。=]*$",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|thanks?|thank you|thx|cheers|bye|goodbye|ok(?:ay)?|great|nice|cool|well done|perfect|you're welcome|how are you|who are you|what can you do|what is your name|nice to meet you|sorry)\b(?:[\w\s,'!.?-]{0,60})$"
    r"|^(?:你好|您好|谢谢|多谢|感谢|再见|早上好|晚上好|下午好|好的|辛苦了|你是谁|你叫什么|你能做什么|你会什么)[\u3400-\u9fff，。！？!?\s]{0,20}$",
    re.IGNORECASE,
)
_GENERATED = re.compile(
    r"^(?:write|compose|draft|make up|tell|give|create|generate|suggest|invent)\b.*\b(?:poem|haiku|joke|story|song|limerick|slogan|regex|regular expression|essay|riddle|tagline|pun)\b|(?:写|讲|编|作)(?:一?[首个篇段则])?.*(?:诗|笑话|故事|俳句|谜语|歌词|作文)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One effect that a task requires."""

    act: str
    targets: tuple[str, ...]
    """Paths or names that it concerns, each of them required; empty when it names none."""
    scope: Scope
    """`all`: every target; `some`: until it is found; `open`: no target is named."""
    count: int = 0
    """How many files of any name it needs, where the task gives only a number; else 0."""
    text: str = ""

    @property
    def changes(self) -> bool:
        """True when it changes something."""
        return self.act not in OBSERVING


def goals_of(task: str, known: Sequence[str], earlier: str = "") -> tuple[Goal, ...]:
    """Return what `task` requires, in its order; empty when it requires nothing outside the conversation.

    Args:
        task: The task's text.
        known: Paths of files that are known to exist.
        earlier: What earlier turns asked; read only where the task points back.
    """
    if is_small_talk(task):
        return ()
    found: list[Goal] = []
    for clause in clauses_of(task):
        for goal in _goals(clause, known, earlier):
            if goal not in found:
                found.append(goal)
    named = [goal for goal in found if goal.targets or goal.changes or goal.count]
    return tuple(goal for goal in found if not (goal.scope == "open" and goal.act in {"read"} and named))


def is_small_talk(task: str) -> bool:
    """Return True for arithmetic, greetings, thanks, and texts that are only to be made up."""
    text = task.strip()
    if _GENERATED.search(text) and not mentions(text).paths:
        return True
    return _ARITHMETIC.match(text) is not None or _TALK.match(text) is not None


def speaks_of_workspace(task: str) -> bool:
    """Return True when the task names something that only tools can see."""
    named = mentions(task)
    return bool(named.paths or named.identifiers or named.addresses) or _WORKSPACE.search(task) is not None


def _goals(clause: Clause, known: Sequence[str], earlier: str) -> list[Goal]:
    named = mentions(clause.text)
    files = meant_files(clause.text, clause.excepted, known, earlier)
    if clause.act is None or clause.act in OBSERVING:
        return _observing(clause, named, files.paths, files.count, files.every)
    if clause.act in {"write", "move", "delete"}:
        return _file_effect(clause, named, files.paths)
    return [Goal(act=clause.act, targets=_names(named) or files.paths, scope="all", text=clause.text)]


def _observing(clause: Clause, named: Mentions, paths: tuple[str, ...], count: int, every: bool) -> list[Goal]:
    target, sources = _split_destination(clause.text, named.paths)
    if target and clause.mood == "orders" and target not in sources and _COPIES.search(clause.text):
        return [
            *_reads(tuple(p for p in paths if p != target) or sources, clause),
            Goal(act="write", targets=(target,), scope="all", text=clause.text),
        ]
    if _LISTS.search(clause.text) and not _INSIDE.search(clause.text) and not _files_only(paths):
        return [Goal(act="list", targets=tuple(p for p in named.paths if "/" in p), scope="all", text=clause.text)]
    finds = _FINDS.search(clause.text) is not None
    if finds and not every and (len(paths) != 1):
        return [Goal(act="search", targets=_names(named) if not paths else (), scope="some", text=clause.text)]
    if paths:
        return _reads(paths, clause)
    if count:
        return [Goal(act="read", targets=(), scope="all", count=count, text=clause.text)]
    names = _names(named)
    return [Goal(act="read", targets=names, scope="all" if names else "open", text=clause.text)]


def _file_effect(clause: Clause, named: Mentions, paths: tuple[str, ...]) -> list[Goal]:
    act = clause.act or "write"
    written = named.paths
    pieces = _names(named)
    if not written and not paths:
        return [Goal(act=act, targets=pieces, scope="all", text=clause.text)]
    if act == "delete" and _is_inside(clause.text, (written or paths)[0]):
        return _edit(written or paths, clause)
    if act == "move" and (_PIECE.search(clause.text) or (pieces and len(written) == 1)):
        return _edit(written, clause)
    if act in {"move", "delete"}:
        return [Goal(act=act, targets=written or paths, scope="all", text=clause.text)]
    target, sources = _split_destination(clause.text, written)
    if _EDITS.search(clause.text) and not sources:
        return _edit(written or paths, clause)
    reads = (
        _reads(tuple(dict.fromkeys((*sources, *(p for p in paths if p != target and p not in written)))), clause)
        if sources
        else []
    )
    return [*reads, Goal(act="write", targets=(target,) if target else paths[:1], scope="all", text=clause.text)]


def _edit(paths: tuple[str, ...], clause: Clause) -> list[Goal]:
    return [*_reads(paths, clause), Goal(act="write", targets=paths, scope="all", text=clause.text)]


def _reads(paths: tuple[str, ...], clause: Clause) -> list[Goal]:
    return [Goal(act="read", targets=paths, scope="all", text=clause.text)] if paths else []


def _split_destination(text: str, written: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The path after a word such as `into` is the destination, the others are sources; a single path is the former."""
    if len(written) == 1 and not _is_inside(text, written[0]):
        return written[0], ()
    for path in reversed(written):
        if _DESTINATION.search(text[: text.rfind(path)]) and not _only_inside(text, path):
            return path, tuple(p for p in written if p != path)
    return (written[-1], written[:-1]) if written else (None, ())


def _is_inside(text: str, path: str) -> bool:
    before = text[: text.find(path)] if path in text else ""
    after = text[text.find(path) + len(path) :] if path in text else ""
    return _WITHIN.search(before) is not None or re.match(r"[`\"”」]?\s*(?:里面?|中|内|的(?!副本))", after) is not None


def _only_inside(text: str, path: str) -> bool:
    return re.search(r"\b(?:from|of|out of)\s+[`\"']?$", text[: text.rfind(path)], re.IGNORECASE) is not None


def _files_only(paths: tuple[str, ...]) -> bool:
    return bool(paths) and not any(path.endswith("/") for path in paths)


def _names(named: Mentions) -> tuple[str, ...]:
    """Names of records and code, in the absence of paths; bare numbers count from three digits on."""
    long = tuple(number for number in named.numbers if len(number) >= 3 and not re.fullmatch(r"(?:19|20)\d\d", number))
    quoted = tuple(text for text in named.quoted if text not in named.paths)
    return tuple(dict.fromkeys((*named.identifiers, *named.addresses, *quoted, *long)))


def named_files(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return the files of `known` that `text` names, then the paths it names that are not known."""
    found = find_named(text, known)
    return found
