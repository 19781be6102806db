"""What a net spec of abacus may say, and how its engine is seeded, as far as that is known."""

from __future__ import annotations

from paddle_init.errors import SpecError
from paddle_init.languages import Sentence
from paddle_init.specs import FrameworkFacts, Seeding, default_engine
from paddle_init.specs.parts import integer

FACTS = FrameworkFacts(
    name="abacus",
    label=Sentence("abacus", "abacus 侧"),
    place=Sentence("in abacus", "abacus 侧"),
    implementation="paddle_init.frameworks.abacus.draws:AbacusFramework",
    engines=("minstd_rand0", "minstd_rand", "mt19937", "mt19937_64"),
    seed_keys=("seed", "seed_seq"),
    options=("arithmetic", "storage_order"),
    reads="abacus_compat.load:conf_of",
    writes="abacus_compat:dump_conf",
)


def local_random_engine(
    *, thread: int = 0, clock: int | None = None, engine: str | None = None
) -> Seeding:
    """Return the seeding of `abacus::local_random_engine()` in one thread.

    abacus's function is not public; two of the same name and shape are. Each new thread seeds a
    std::default_random_engine from a counter of the whole process.

    Parameters
    ----------
    thread : int
        How many threads asked for their engine before this one, 0 or more.
    clock : int, optional
        The wall clock in milliseconds: the seeds are {c, c + 1, c + 2, clock}, c = 3 * thread, as
        in Paddle's parameter server. Without it they are four values of the counter,
        {4 * thread, ...}, so that a process's first thread always has {0, 1, 2, 3}.
    engine : str, optional
        minstd_rand0 by default, which is libstdc++'s std::default_random_engine.

    Source: paddle/fluid/distributed/common/local_random.h for the form with the clock. The form
    without is that of another public project of Baidu's. That abacus has either is an inference.
    """
    thread = _natural("thread", thread)
    clock = None if clock is None else _natural("clock", clock)
    taken = 4 if clock is None else 3
    values = [taken * thread + step for step in range(taken)]
    if clock is not None:
        values.append(clock)
    return Seeding(engine or default_engine("abacus"), seed_seq=tuple(values))


def _natural(name: str, value: int) -> int:
    number = integer(name, value)
    if number < 0:
        raise SpecError(f"{name} must be an integer of 0 or more, got {number}")
    return number
