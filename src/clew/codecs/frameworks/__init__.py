"""Messages of Python frameworks, read from their fields as plain JSON values; none of the frameworks is imported."""
