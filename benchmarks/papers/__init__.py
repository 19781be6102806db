"""The results of three texts on initialization that need no data, run again on Paddle.

    python -m benchmarks.papers [FOLDER]

writes ``papers.md`` and, in ``papers/``, its pictures and ``results.json``. Finished experiments
are kept in that file as they come, so that an interrupted run goes on where it stopped; the same
seed gives the same numbers again.
"""
