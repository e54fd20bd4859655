"""What kind of file is it? Content first, then the name."""

import bz2

import pytest

from indexer.parsing.sniff import FileType, sniff


@pytest.mark.parametrize(
    ("name", "head", "kind", "language"),
    [
        ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "pdf", ""),
        ("no-suffix", b"%PDF-1.4\n", "pdf", ""),
        ("a.pdf", b"junk from a mailer\r\n%PDF-1.4\n", "pdf", ""),
        ("junk", b"\x00\x01\x02\x03" * 20 + b"%PDF-1.4\n", "pdf", ""),
        ("notes.txt", b"The header of a PDF is %PDF-1.4.\n", "text", ""),
        ("sniff.py", b'MAGIC = b"%PDF-"\n', "code", "python"),
        ("a.PY", b"x = 1\n", "code", "python"),
        ("Makefile", b"all:\n\ttrue\n", "code", "make"),
        ("Dockerfile.dev", b"FROM x\n", "code", "dockerfile"),
        ("run", b"#!/usr/bin/env python3\n", "code", "python"),
        ("run", b"#!/usr/bin/env -S node --x\n", "code", "javascript"),
        ("run", b"#!/bin/bash -e\n", "code", "shell"),
        ("run", b"#! /usr/local/bin/python3.11\n", "code", "python"),
        ("run", b"#!/opt/unknown\n", "text", ""),
        ("README", b"Hello\n", "text", ""),
        ("README.md", b"# Hello\n", "markdown", ""),
        ("a.rst", b"words\n", "restructuredtext", ""),
        ("a.csv", b"a,b\n", "csv", ""),
        ("a.csv", b"<!doctype html><p>x", "html", ""),
        ("letter", b"\xef\xbb\xbf\\documentclass{letter}\r\n", "latex", ""),
        ("ls.1", b".TH LS 1\r\n.SH NAME\r\n", "man", ""),
        ("a.ipynb", b"{}", "notebook", ""),
        ("a.htm", b"x", "html", ""),
        ("page", b"\n<!DOCTYPE html>\n<html>", "html", ""),
        ("page", b"<!-- x --><html lang=en>", "html", ""),
        ("notes.xyz", b"a line\n", "text", ""),
        ("utf16.txt", "Grüße\n".encode("utf-16"), "text", ""),
        ("utf16.txt", "plain words".encode("utf-16-le"), "text", ""),
        ("umlauts", "Größe und Länge\n".encode("latin-1"), "text", ""),
        ("one-nul.log", b"line\n" * 500 + b"\x00", "text", ""),
        ("colours.log", b"\x1b[31mred\x1b[0m\n" * 10, "text", ""),
        ("MZ.txt", b"MZ is a pair of letters. RIFF is a word.\n", "text", ""),
        ("empty", b"", "text", ""),
        ("a.txt", b"PK\x03\x04rest", "zip", ""),
        ("a.eml", b"Subject: x\n\nwords", "mail", ""),
        ("1700000000", b"From: a@b\nSubject: x\n\nwords", "mail", ""),
        ("a.txt", b"From: a@b\nSubject: x\n\nwords", "text", ""),
        ("letter", b"From London\nwe went on.\n", "text", ""),
        ("inbox", b"From a@b Mon Mar  1 10:00:00 2021\nSubject: x\n\nwords", "mailbox", ""),
        ("a.txt", b"ID3 tags are read by players.\n", "text", ""),
        ("a.txt", b"BZh91 is how they begin.\n", "text", ""),
        ("a.md", b"GIF89a is a format of pictures.\n", "markdown", ""),
        ("a.txt", b"OggS, fLaC and wOFF are others.\n", "text", ""),
        ("a.mp3", b"ID3\x04\x00\x00\x00\x00\x0b\x76TSSE", "binary", ""),
        ("a", bz2.compress(b"words"), "binary", ""),
        ("a", bz2.compress(b""), "binary", ""),
        ("a.gif", b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff", "binary", ""),
        ("a.ogg", b"OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00", "binary", ""),
        ("a.js.map", b'{"version":3}', "code", "json"),
        ("dungeon.map", b"A map of the dungeon.\n", "text", ""),
        ("a.py", b"\x7fELF\x02\x01", "binary", ""),
        ("a.md", b"\x89PNG\r\n\x1a\n", "binary", ""),
        ("a", b"\x1f\x8b\x08", "binary", ""),
        ("a.webp", b"RIFF\x10\x00\x00\x00WEBPVP8 ", "binary", ""),
        ("a.bin", bytes(range(256)) * 4, "binary", ""),
    ],
)
def test_kind(name, head, kind, language):
    found = sniff(name, head)

    assert (found.kind, found.language) == (kind, language)
    assert bool(found.reason) == (kind == "binary")


def test_the_reason_names_what_was_seen():
    assert sniff("x", b"\x89PNG\r\n\x1a\n") == FileType("binary", reason="a PNG image")
    assert "control characters" in sniff("x", bytes(100)).reason
