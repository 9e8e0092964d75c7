"""Critical items: what people wrote that must not fade, found by wording, merged with what is known, and listed."""
