"""The page: a JSON API over an engine, the OpenAPI document of it, and the files of the page that shows it.

``endpoint`` turns functions into paths; the views are such functions, by what they show.
"""
