"""The words by which a task is understood, as patterns: moods, listings, searches, destinations, edits, small talk.

Vocabulary only.
"""

from __future__ import annotations

import re

__all__ = [
    "ARITHMETIC",
    "ASKS",
    "ASKS_CHINESE",
    "CARRIES",
    "COPIES",
    "DESTINATION",
    "EDITS",
    "EXCEPTS",
    "EXCEPTS_CHINESE",
    "EXISTS",
    "EXPORTS",
    "FINDS",
    "FORBIDS",
    "GOES_INTO",
    "INSIDE_AFTER",
    "INSIDE_BEFORE",
    "KNOWLEDGE",
    "LISTS",
    "MADE_UP",
    "PARTS",
    "POLITE",
    "POLITE_CHINESE",
    "SMALL_TALK",
    "SPEAKS_OF_CONTENT",
    "WORKSPACE",
    "WRITES_TO",
    "either",
    "words",
]


def words(text: str) -> frozenset[str]:
    """Return the words of a text that lists them, divided by space."""
    return frozenset(text.split())


def either(english: str, chinese: str = "") -> re.Pattern[str]:
    """Return a pattern for any of the words: English ones whole, with `_` for a space, Chinese ones anywhere."""
    parts = [rf"\b(?:{'|'.join(word.replace('_', ' ') for word in english.split())})\b"] if english else []
    return re.compile("|".join([*parts, *chinese.split()]), re.IGNORECASE)


POLITE = re.compile(
    r"^(?:(?:please|kindly|now|first|next|just|also|ok|okay|hi|hello|hey|so|and|then|finally|only|quickly"
    r"|go ahead and"
    r"|i(?:'d| would) like (?:you )?to|i want (?:you )?to|i need (?:you )?to|i need|you should|you must|you need to"
    r"|we need to|we should|we must|let's|let us|can you|could you|would you|will you|can we|could we|help me(?: to)?"
    r"|try to|make sure to|be sure to|remember to|try)[,:]?\s+)+",
    re.IGNORECASE,
)
"""What may stand in front of an English order."""

POLITE_CHINESE = re.compile(r"^(?:请|帮我|麻烦|帮忙|你|我想要?|我要|需要|能不能|可以|先|给我(?!们)|快速|现在|顺便|也)+")
"""What may stand in front of a Chinese order."""

FORBIDS = re.compile(
    r"^(?:please )?(?:do not|don't|never|avoid|no need to|without)\b"
    r"|^(?:请)?(?:不要|别|请勿|无需|不用|禁止|不得|不许|切勿|不必)",
    re.IGNORECASE,
)
"""A clause that forbids."""

EXCEPTS = re.compile(
    r",?\s+(?:without|instead of|rather than|except(?: for)?|excluding|but not|other than|apart from|not)\s+.*$"
    r"|(?<=\w)\s+but\s+(?=[\w./-]+\.\w+|the\b).*$",
    re.IGNORECASE | re.DOTALL,
)
"""The end of a clause that takes something out of it."""

EXCEPTS_CHINESE = re.compile(
    r"(?:，|,)?(?:但)?(?:不要|别的?(?=[删改动移])|请勿|而不是|(?<![删移去清扣解拆根废消排])除(?:了|去|开"
    r"|(?=.{1,20}(?:以外|之外|外)))|不含|不包括).*$",
    re.DOTALL,
)
"""The same in Chinese."""

ASKS = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|should|will"
    r"|would|may|must|if|whether|(?:in|on|under|from|to|for|at|by|of|with) (?:which|what|whom))\b",
    re.IGNORECASE,
)
"""The beginning of a question."""

ASKS_CHINESE = re.compile(
    r"什么|哪|谁|多少|几[个次条行岁点天年月]|吗|如何|怎么|怎样|为什么|为何|是否|有没有|是不是|何时|能否|呢$"
    r"|多[大长高久]|[?？]$"
)
"""What makes a Chinese clause a question."""

WRITES_TO = re.compile(r"写到|写入|写进|存为|存到|存入|保存为|保存到|记到|导出到|抄到")
"""What makes a Chinese clause an order although it holds a question word."""

EXPORTS = re.compile(r"导出(?!的|了|什么|哪|函数|类).*(?:到|成|为)")
"""A Chinese order to write data to a file."""

CARRIES = re.compile(r"[把将](?!来|军|近)")
"""A Chinese construction that does something to its object."""

LISTS = re.compile(
    r"\b(?:list|show|enumerate)\b.*\b(?:files?|folders?|director(?:y|ies)|contents?|tree)\b"
    r"|\bwhat(?:'s| is| are|s)?\b.*\b(?:in|inside|under)\b (?:this|the|that|my|our|your)? ?(?:current |working )?"
    r"(?:folder|directory|repo|repository|project)\b"
    r"|\b(?:which|what|how many) (?:\w+ )?(?:files?|folders?|director(?:y|ies))\b "
    r"(?:are|is|do we have|exist|does|do you see|live|lie|can)\b"
    r"|\b(?:summari[sz]e|describe|tell me) what(?:'s| is) in\b"
    r"|(?:列出|列一下|列举|显示|看看?|告诉我).*(?:文件|目录|文件夹)(?!名?里.*(?:的|定义|函数))"
    r"|(?:目录|文件夹|项目|仓库)(?:里|下|中|里面|下面)?(?:都)?有(?:什么|哪些|多少|几个)|有(?:哪些|多少个?|几个)文件",
    re.IGNORECASE | re.DOTALL,
)
"""A clause that asks which files there are."""

EXISTS = re.compile(
    r"^(?:is|are) there (?:an?|any|some)\b|^(?:does|do|has|have)\b.{1,60}\b(?:have|contain|include|hold|got) an?y?\b"
    r"|^(?:is|are) (?:the|a|an|our|my) .{1,60} (?:in|inside|part of) (?:the|this|our|my) "
    r"(?:repo|repository|project|folder|directory)\b"
    r"|有没有|是否有|是否存在|存在.{1,20}吗|有.{1,20}(?:文件|目录)吗",
    re.IGNORECASE,
)
"""A clause that asks whether something is there."""

SPEAKS_OF_CONTENT = either(
    r"functions? class(?:es)? methods? exports? defin\w+ headings? lines? words? tests? errors? todos? content_of",
    "函数 类 方法 导出 定义 内容 标题 行 错误",
)
"""A clause that asks about what stands in files, even if it says `list` or `which files`."""

FINDS = re.compile(
    r"\b(?:which|what|find(?! out)|locate|in which|name)\b(?: (?:the|a|all|me|every))? (?:\w+ )?"
    r"(?:files?|modules?|scripts?|documents?|places?)\b"
    r"|\b(?:where|find(?! out)|search|grep|locate|which of)\b"
    r"|哪个文件|哪些文件|在哪|哪里|哪儿|查找|搜索|找出|找到|找一下|哪一个",
    re.IGNORECASE,
)
"""A clause that is answered once something is found."""

DESTINATION = re.compile(
    r"(?:\b(?:to|into|in|as|called|named|at|under)\b(?: an?| the)?(?: new)?(?: file)?(?: called| named)?"
    r"|写到|写入|写进|存为|存到|存成|存入|保存为|保存到|记到|导出到|抄到|抄进|复制到|拷贝到|加到|添加到|追加到"
    r"|新文件|文件|叫|到|进|至|成|为)"
    r"\s*[`\"'“「]?$",
    re.IGNORECASE,
)
"""What stands right in front of a path that something goes to."""

GOES_INTO = re.compile(
    r"(?:\b(?:to|into|as|called|named)\b(?: an?| the)?(?: new)?(?: file)?(?: called| named)?"
    r"|写到|写入|写进|存为|存到|存成|存入|保存为|保存到|记到|导出到|抄到|抄进|复制到|拷贝到|新文件)\s*[`\"'“「]?$",
    re.IGNORECASE,
)
"""The same where the verb alone does not say that something is written."""

INSIDE_BEFORE = re.compile(r"\b(?:from|in|inside|of|within|out of)\s+(?:the )?(?:file )?[`\"'“「]?$", re.IGNORECASE)
"""What stands right in front of a file of which a part is meant."""

INSIDE_AFTER = re.compile(r"[`\"”」]?\s*(?:里面?|中|内|的(?!副本))")
"""What stands right behind a file of which a part is meant."""

EDITS = re.compile(
    r"^\W*(?:fix|change|replace|update|edit|append|modify|correct|refactor|bump|set|adjust|increase|decrease|lower"
    r"|raise|amend|tidy|reformat|prepend|implement|insert|translate the)\b"
    r"|更新|修改|改成|改为|修复|修正|替换|追加|插入|设置|设为|设成|调整|改一下",
    re.IGNORECASE,
)
"""Verbs that change a file which must be read before."""

COPIES = either(
    "copy convert translate turn summari[sz]e extract duplicate export put write save merge move",
    "复制 拷贝 抄 转成 转换 翻译 总结 提取 导出 概括 写",
)
"""Verbs that may carry something into a file."""

PARTS = either(
    "function class method variable constant lines? section paragraph imports? comments? row column key entry heading"
    " test_case word typo field parameter option todo",
    "函数 类 方法 变量 常量 行 段 章节 注释 字段 参数 条目",
)
"""What is a part of a file and no file."""

WORKSPACE = either(
    r"files? folders? director\w+ projects? repo\w* code codebase modules? scripts? config\w* logs? builds? tests?"
    r" database tables? rows? columns? tickets? issues? invoices? orders? customers? users? accounts? servers?"
    r" services? pods? clusters? deployments? incidents? alerts? branch\w* commits? emails? messages? contracts?"
    r" documents? docs readme changelog packages? dependenc\w+ functions? class(?:es)? endpoints? api version port"
    r" schema settings? license licence report meeting calendar stock inventory payments? subscriptions? passwords?"
    r" secrets? environment pipeline release backups? disk memory cpu errors? page header footer website app"
    r" application library timeout limit queue balance budget sheet spreadsheet workspace here",
    "文件 目录 文件夹 项目 仓库 代码 模块 脚本 配置 日志 构建 测试 数据库 表 记录 工单 发票 订单 客户 用户 账户"
    " 账号 服务器 服务"
    " 集群 部署 故障 告警 分支 提交 邮件 消息 合同 文档 依赖 函数 类 接口 版本 端口 许可证 报告 会议 日程 库存"
    " 付款 密码 密钥 环境"
    " 备份 磁盘 内存 页面 超时 余额 预算 表格",
)
"""Nouns of things that only tools can see."""

_OPERATIONS = r"plus|minus|times|divided by|multiplied by|over|to the power of|mod|percent of|% of|squared|cubed|x|and"
_SIGNS = r"[\d\s.,()+*/^×÷%=-]*"
ARITHMETIC = re.compile(
    rf"^(?:what(?:'s| is)|how much is|calculate|compute|evaluate|work out)?\s*[\d(]{_SIGNS}"
    rf"(?:(?:{_OPERATIONS})\s*{_SIGNS})*\s*[?.=]*$"
    rf"|^(?:请)?(?:计算|算一下|请问|求)?\s*[\d(]{_SIGNS}(?:(?:加上?|减去?|乘以?|除以|的|平方|立方|和|与|次方)\s*{_SIGNS})*"
    r"(?:等于|是)?(?:多少|几)?[?？。=]*$",
    re.IGNORECASE,
)
"""A task that is only a calculation."""

SMALL_TALK = re.compile(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|thanks?|thank you|thx|cheers|bye|goodbye|ok(?:ay)?"
    r"|great|nice|cool|well done|perfect|you're welcome|how are you|who are you|what can you do|what is your name"
    r"|nice to meet you|sorry|what (?:did|have) (?:you|we|i) (?:just )?(?:read|do|done|say|said|find|found|ask|asked))"
    r"\b(?:[\w\s,'!.?-]{0,60})$"
    r"|^(?:i |we )?(?:\w+ ){0,5}(?:thank you|thanks|appreciate it)[\w\s,'!.-]{0,30}$"
    r"|^(?:你好|您好|谢谢|多谢|感谢|再见|早上好|晚上好|下午好|好的|辛苦了|你是谁|你叫什么|你能做什么|你会什么)"
    r"[\u3400-\u9fff，。！？!?\s]{0,20}$",
    re.IGNORECASE,
)
"""A greeting, thanks, or a question about the agent itself."""

MADE_UP = re.compile(
    r"^(?:please )?(?:write|compose|draft|make up|tell|give|create|generate|suggest|invent)\b.*"
    r"\b(?:poem|haiku|joke|story|song|limerick|slogan|regex|regular expression|essay|riddle|tagline|pun)\b"
    r"|(?:写|讲|编|作)(?:一?[首个篇段则])?.*(?:诗|笑话|故事|俳句|谜语|歌词|作文)",
    re.IGNORECASE,
)
"""A text that is only to be made up."""

KNOWLEDGE = re.compile(
    r"^(?:please )?(?:what(?:'s| is| are) (?:an? |the (?:capital|meaning|definition|difference|square root"
    r"|population|formula|speed of"
    r"|boiling|melting|chemical|distance|plural|opposite|synonym|past tense)\b)|what does [\w' ]{1,40} (?:mean"
    r"|stand for)\b"
    r"|define |explain (?:what [\w -]{1,30} (?:is|are|means)$|the (?:concept|difference|idea|theory)|what an? )"
    r"|who (?:invented|discovered|wrote|painted|composed|founded)\b"
    r"|how many (?:days|hours|minutes|seconds|weeks|months|legs|grams|metres|meters|feet|inches|bytes|bits"
    r"|continents|planets)\b"
    r"|how (?:do|would) (?:you|i) (?:say|spell|pronounce)\b|convert \d|spell |give (?:me )?(?:an? )?(?:synonym"
    r"|example of an?)\b"
    r"|(?:rewrite|rephrase|translate|proofread|shorten|correct|summari[sz]e|paraphrase|improve) (?:this"
    r"|the following|these)"
    r" (?:sentence|text|paragraph|word|phrase|message|line)s?\b"
    r"|(?:say|spell|translate|write) [^.]{1,60} (?:in|into) (?:english|french|italian|german|spanish|chinese|japanese"
    r"|korean|portuguese|russian|arabic|dutch|swedish|latin|greek|hindi|polish|turkish)\b"
    r"|translate (?:the (?:word|sentence|phrase) )?[\"'`“]|what (?:year|century) (?:did|was|is)\b"
    r"|is it true that\b|why is the (?:sky|sea)\b)"
    r"|首都|是什么意思|(?:^|解释(?:一下)?)什么是|^什么叫|的定义是|什么叫|谁发明|谁发现|一年有|一天有|一小时有"
    r"|有多少(?:天|小时|分钟"
    r"|秒)|[”」』\"]怎么(?:说|读)|把[“「\"].{1,40}[”」\"](?:翻译|译)"
    r"|翻译[:：]?[“「\"]",
    re.IGNORECASE,
)
"""A question that general knowledge answers."""
