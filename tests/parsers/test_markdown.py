"""The block structure of Markdown: what is a heading, what is not, and where everything stands."""

from parsers.lines import split_lines
from parsers.markdown import BOLD_LEVEL, BlockKind, parse_markdown


def headings(text: str) -> list[tuple[str, int, int]]:
    return [(s.heading, s.level, s.line_start) for s in parse_markdown(text).sections]


def test_headings_in_fences_and_comments_are_none() -> None:
    assert headings("```sh\n# a\n```\n\n~~~\n## b\n~~~\n\n<!--\n# c\n-->\n\n    # d\n\n# e\n") == [
        ("e", 1, 15)
    ]


def test_underlined_and_bold_headings_count() -> None:
    found = headings("Title\n=====\n\n**Rule Gate:**\n\nx\n\n__Novelty__\n\nwith **bold** inside\n")
    assert found == [("Title", 1, 1), ("Rule Gate", BOLD_LEVEL, 4), ("Novelty", BOLD_LEVEL, 8)]


def test_crlf_and_cr_keep_the_line_numbers() -> None:
    assert headings("# a\r\n\r\nx\r\n\r\n## b\r\n") == [("a", 1, 1), ("b", 2, 5)]
    assert headings("# a\r\r## b\r") == [("a", 1, 1), ("b", 2, 3)]


def test_a_line_separator_inside_a_line_is_no_line_end() -> None:
    assert split_lines("a\u2028b\x0bc\x0c\nd") == ("a\u2028b\x0bc\x0c", "d")


def test_a_section_reaches_to_the_next_heading_that_is_not_deeper() -> None:
    sections = parse_markdown("# t\n## a\nx\n### b\ny\n## c\nz\n").sections
    assert [(s.heading, s.line_start, s.line_end) for s in sections] == [
        ("t", 1, 7),
        ("a", 2, 5),
        ("b", 4, 5),
        ("c", 6, 7),
    ]
    assert sections[1].text == "x\n### b\ny"


def test_rows_items_and_quotes_are_blocks_of_their_own() -> None:
    text = "- a\n  - b\n\n1. c\n\n| h |\n|---|\n| r |\n| s |\n\n> q\n> q\n"
    found = [(b.kind, b.line_start, b.line_end, b.is_numbered) for b in parse_markdown(text).blocks]
    assert found == [
        (BlockKind.ITEM, 1, 2, False),
        (BlockKind.ITEM, 4, 4, True),
        (BlockKind.ROW, 8, 8, False),
        (BlockKind.ROW, 9, 9, False),
        (BlockKind.QUOTE, 11, 12, False),
    ]


def test_front_matter_is_read_and_is_not_text() -> None:
    document = parse_markdown('---\ntitle: "T: x"\nAliases: [a, b]\nparents:\n  - c\n---\n# h\n')
    pairs = [(pair.key, pair.value, pair.line) for pair in document.front_matter]
    assert pairs == [("title", "T: x", 2), ("aliases", "a", 3), ("aliases", "b", 3), ("parents", "c", 5)]
    assert [(s.heading, s.line_start) for s in document.sections] == [("h", 7)]
    assert document.prose_lines == (7,)


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert parse_markdown("---\nnot a pair at all\n---\n").front_matter == ()
    assert parse_markdown("---\nkey: never closed\n").front_matter == ()


def test_lines_count_from_the_top_of_the_file() -> None:
    document = parse_markdown("## a\nx\n\n- y", lines_before=10)
    assert document.sections[0].line_start == 11
    assert document.line(14) == "- y"
    assert (document.blocks[-1].line_start, document.line_end) == (14, 14)
