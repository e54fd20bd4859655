"""Parts of a screen. In: values of the index; out: escaped HTML, drawn by ``markup.show``.

The functions that write HTML are pure. ``markup`` alone knows how it reaches the page.
"""
