"""Reading text: sentences, names, paths, what tools mean, and whose words they are."""
