"""Chinese words of files, code and services, and the English words that stand for them there.

Vocabulary only: it lets a Chinese question find an English line.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from interlock.tools.task.verbs import root

__all__ = ["ENGLISH"]

_WORDS = """
健康 healthy health; 正常 ok normal healthy
超时 timeout; 端口 port; 版本 version release; 依赖 dependency requires; 函数 function func def fn; 类名 class
方法 method; 许可 license licence; 数据 data database; 密码 password; 用户 user; 订单 order; 税率 tax rate percent
税额 tax; 价格 price; 运费 shipping; 库存 stock inventory; 配置 config settings; 日志 log; 错误 error; 测试 test
服务 service server; 地址 address url host; 名称 name; 默认 default; 限制 limit; 折扣 discount
数量 quantity count; 总价 total; 总额 total; 国家 country; 重量 weight kilogram; 日期 date; 级别 level
状态 status state; 作者 author; 接口 interface api endpoint; 常量 const constant; 变量 variable; 模块 module
连接 connection pool; 缓存 cache; 队列 queue; 密钥 key secret; 权限 permission; 路径 path; 标题 title
邮件 email mail; 电话 phone; 客户 customer client; 发票 invoice; 金额 amount; 合同 contract; 工单 ticket
集群 cluster; 备份 backup; 分支 branch; 提交 commit; 环境 environment env; 生产 prod production
开发 dev development; 语言 language lang; 主机 host; 协议 protocol; 重试 retry retries; 间隔 interval
最大 max maximum; 最小 min minimum; 单位 unit; 货币 currency; 编号 id number; 会议 meeting; 参加 present attend
失败 fail failed failure; 对账 reconcile; 原因 cause caused because reason; 支付 pay payment paid
付款 pay payment paid; 重复 twice duplicate again; 责任 responsible owner; 负责 responsible owner
决定 decided decision; 优惠 discount; 限额 limit; 阈值 threshold; 内存 memory; 磁盘 disk; 域名 domain
表名 table; 入口 main entry; 脚本 script; 命令 command; 参数 argument parameter option; 返回 return returns
类型 type; 格式 format; 发货 shipped shipping; 地区 region; 时间 time date; 温度 temperature; 速度 speed rate
大小 size; 颜色 color colour; 宽度 width; 高度 height; 成功 success ok; 启动 start; 停止 stop; 监听 listen port
表格 table; 字段 field column; 行数 rows lines
"""

ENGLISH: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        entry.split()[0]: frozenset(root(word) for word in entry.split()[1:])
        for line in _WORDS.strip().splitlines()
        for entry in line.split(";")
        if entry.strip()
    }
)
"""Two characters → roots of English words."""
