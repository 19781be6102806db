"""What a net spec of abacus may say."""

from paddle_init.languages import Sentence
from paddle_init.specs import FrameworkFacts

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
