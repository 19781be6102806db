"""What was done to drawn values."""

from __future__ import annotations

from paddle_init.languages import Sentence

PERMUTED = Sentence(
    "the values are the drawn ones in another order: {order}",
    "这些值就是抽到的，只是次序不同：{order}",
)
WHOLE_ROWS = Sentence("whole rows were moved", "整行被移动过")
WHOLE_COLUMNS = Sentence("whole columns were moved", "整列被移动过")
SHUFFLED = Sentence("they were shuffled", "被打乱了")

OVERWRITTEN = Sentence(
    "{equal} of {size} values are the drawn ones, bit for bit; the rest{where} was changed "
    "after{what}",
    "{size} 个值中有 {equal} 个与抽到的逐位相同；其余的{where}后来被改过{what}",
)
IN_ROWS_FROM = Sentence(", in {count} rows from {first} on,", "（从第 {first} 行起的 {count} 行）")
IN_ROW = Sentence(", in row {first},", "（第 {first} 行）")
IN_ROWS = Sentence(", in rows [{first}, {stop}),", "（第 [{first}, {stop}) 行）")
WILD = Sentence("; {wild} of it NaN or infinite", "；其中 {wild} 个是 NaN 或无穷")
TO_VALUE = Sentence(", to {value}", "，改成了 {value}")

WITHIN_ULP = Sentence(
    "{differing} of {size} values differ from the drawn ones, by at most {max_ulp} ULP: another "
    "rounding, or hardly changed since",
    "{size} 个值中有 {differing} 个与抽到的不同，最多相差 {max_ulp} ULP："
    "舍入方式不同，或之后略有改动",
)
MEAN = Sentence(
    "every value lies {shift} from its own draw: the mean is another",
    "每个值与自己抽到的数都相差 {shift}：均值不同",
)
MOVED = Sentence(
    "every value lies near its own draw (correlation {r}), at most {far} away: the right start, "
    "and something since, as training does",
    "每个值都在自己抽到的数附近（相关系数 {r}），最多相差 {far}：起点是对的，"
    "之后有过变化，训练就会这样",
)
