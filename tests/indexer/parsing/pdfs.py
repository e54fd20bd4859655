"""Small PDFs for tests, drawn by reportlab and bent by pypdf."""

import io
from collections.abc import Sequence

from pypdf import PdfReader, PdfWriter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

PAGE = (400, 300)  # points


def draw(pages: Sequence[Sequence[str]], *, size: int = 14, title: str = "") -> bytes:
    """A PDF with a line of text for each string; a page without strings is blank."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=PAGE)
    if title:
        canvas.setTitle(title)
    for lines in pages:
        canvas.setFont("Helvetica", size)
        for i, line in enumerate(lines):
            canvas.drawString(60, 220 - 2 * size * i, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def draw_scan(num_pages: int) -> bytes:
    """A PDF of pages that hold a picture only."""
    from PIL import Image

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=PAGE)
    for _ in range(num_pages):
        canvas.drawImage(ImageReader(Image.new("L", (20, 15), 128)), 0, 0, *PAGE)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def draw_scanned_text(lines: Sequence[str]) -> bytes:
    """A PDF of one page, which is a picture of these lines."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", (1200, 900), 255)
    font = ImageFont.load_default(44)
    for i, line in enumerate(lines):
        ImageDraw.Draw(picture).text((80, 120 + 110 * i), line, font=font, fill=0)
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=PAGE)
    canvas.drawImage(ImageReader(picture), 0, 0, *PAGE)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def join(*files: bytes) -> bytes:
    """One PDF of the pages of several."""
    writer = PdfWriter()
    for data in files:
        writer.append(io.BytesIO(data))
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def bend(data: bytes, change) -> bytes:
    """``data`` read and written by pypdf, with ``change(writer)`` in between."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    change(writer)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()
