"""A study as one HTML page that needs nothing else: no script, no style sheet, no network."""

from __future__ import annotations

import base64

from paddle_init.plots.drawing import image
from paddle_init.plots.study import study_figure
from paddle_init.printable import printable
from paddle_init.theory.study import Study
from paddle_init.theory.study_in_text import (
    COLUMNS,
    MEANING,
    answer,
    fix_lines,
    found_where,
    layer_cells,
)

__all__ = ["study_page"]

TEMPLATE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto;
       padding: 0 1rem; }
h1 { font-size: 1.4rem; }
img { max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .7rem; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid #888; }
th:first-child, td:first-child { text-align: left; }
tr.measured td { color: #555; }
tr.measured td:first-child { padding-left: 2rem; }
dt { font-weight: 600; }
</style>
</head>
<body>
<h1>{{ title }}</h1>
<p>{{ answer }}</p>
<img src="data:image/svg+xml;base64,{{ picture }}" alt="rms of signal and gradient by layer">
<div class="wide">
<table>
<tr>{% for column in columns %}<th>{{ column }}</th>{% endfor %}</tr>
{% for row in rows -%}
<tr{% if row[0].startswith(" ") %} class="measured"{% endif %}>
{%- for cell in row %}<td>{{ cell.strip() }}</td>{% endfor %}</tr>
{% endfor -%}
</table>
</div>
<p>{{ meaning }}</p>
<dl>
{% for label, texts in told if texts -%}
<dt>{{ label }}</dt>{% for text in texts %}<dd>{{ text }}</dd>{% endfor %}
{% endfor -%}
</dl>
</body>
</html>
"""


def study_page(study: Study, title: str = "Signal propagation") -> str:
    """Return the page: what is wrong, the picture, the table of the layers, what would help.

    Raises
    ------
    MissingMatplotlibError
    """
    from jinja2 import Environment

    picture = base64.b64encode(image(study_figure(study), "svg")).decode("ascii")
    told = [(finding, [printable(where)]) for finding, where in found_where(study.verdict)]
    told += [
        ("better", list(map(printable, fix_lines(study)))),
        ("notes", list(map(printable, study.predicted.notes))),
    ]
    template = Environment(autoescape=True).from_string(TEMPLATE)
    return (
        template.render(
            title=printable(title),
            answer=answer(study),
            picture=picture,
            columns=COLUMNS,
            rows=[tuple(map(printable, row)) for row in layer_cells(study)],
            meaning=MEANING,
            told=told,
        )
        + "\n"
    )
