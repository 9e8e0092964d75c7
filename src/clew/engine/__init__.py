"""The sentence: record, fold, project, read back. Only the engine decides and persists."""
