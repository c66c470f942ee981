"""What each run executed and tested, as the linkers of variants and ideas answer it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Links:
    """Links by experiment id. A run that is missing from a mapping has no such link.

    Attributes:
        variant_of: Stem of the variant file.
        variant_tier_of: The tier that told it.
        source_of: Hash of the text that ran.
        idea_of: Id of the idea.
        idea_tier_of: The tier that told it.
        texts: Texts by hash.
    """

    variant_of: Mapping[str, str | None] = field(default_factory=dict)
    variant_tier_of: Mapping[str, str | None] = field(default_factory=dict)
    source_of: Mapping[str, str | None] = field(default_factory=dict)
    idea_of: Mapping[str, str | None] = field(default_factory=dict)
    idea_tier_of: Mapping[str, str | None] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
