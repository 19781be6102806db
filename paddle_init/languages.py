"""What is said to readers, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from itertools import islice
from typing import Literal, SupportsIndex, TypeAlias, get_args

from paddle_init.texts import printable

Language: TypeAlias = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


@dataclass(frozen=True)
class Sentence:
    """One sentence in every language, with {places} for values; calling it fills them in.

    Both languages have the same places. A value that is a `Message` is said in the language of
    the sentence around it.
    """

    en: str
    zh: str

    def __call__(self, **values: object) -> Message:
        return Message(self, values) if values else _without_values(self)


class Message(str):
    """A filled-in `Sentence`: to whatever handles texts its English, as a plain str."""

    __slots__ = ("sentence", "values")

    sentence: Sentence
    values: Mapping[str, object]

    def __new__(cls, sentence: Sentence, values: Mapping[str, object]) -> Message:
        message = super().__new__(cls, _filled(sentence.en, values))
        message.sentence, message.values = sentence, values
        return message

    @property
    def capital(self) -> str:
        """The English with a capital first letter."""
        return self[:1].upper() + self[1:]

    def translated(self, language: Language) -> str:
        if language == "en":
            return str(self)
        values = {
            name: Translated(value.translated(language)) if isinstance(value, Message) else value
            for name, value in self.values.items()
        }
        return _filled(getattr(self.sentence, language), values)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, ...]:
        return Message, (self.sentence, self.values)


@cache
def _without_values(sentence: Sentence) -> Message:
    return Message(sentence, {})


class Translated(str):
    """A message that is said in another language already."""

    __slots__ = ()


def _filled(form: str, values: Mapping[str, object]) -> str:
    """Fill in a sentence; texts that are no messages, such as names, are made printable."""
    shown = {
        name: printable(value) if type(value) is str else value for name, value in values.items()
    }
    return form.format_map(shown)


def translated(value: object, language: Language) -> str:
    """Say a message in `language`; what is no message, such as a name, is the same in all."""
    return value.translated(language) if isinstance(value, Message) else str(value)


def joined(by: Sentence, parts: Iterable[str]) -> str:
    """Join one or more texts by a sentence with the places {a} and {b}."""
    return reduce(lambda a, b: by(a=a, b=b), parts)


LIST = Sentence("{a}, {b}", "{a}、{b}")
AND_MORE = Sentence("{shown} and {more} more", "{shown} 及另外 {more} 个")


def listed(names: Collection[str], limit: int = 3) -> str:
    """List names, the first few and how many more there are; of no names nothing."""
    shown = joined(LIST, islice(names, limit)) if names else ""
    more = len(names) - limit
    return AND_MORE(shown=shown, more=more) if more > 0 else shown


def translatable(error: Exception) -> str:
    """Return what an error says, as the message that it was made with."""
    return error.args[0] if error.args and isinstance(error.args[0], Message) else str(error)
