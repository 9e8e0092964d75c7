"""Reading text: sentences, names, paths, stems, languages, phrases; what tools mean; and whose words they are."""
