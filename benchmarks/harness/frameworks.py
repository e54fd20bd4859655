"""One ingest by a framework that a user would pick instead: runs in that framework's own Python.

    python benchmarks/harness/frameworks.py llamaindex < job.json

The job names ``files``, ``model`` (a folder that sentence-transformers loads) and ``folder`` for
the table. The last line is JSON: ``seconds`` and ``cpu_seconds`` without loading the model,
``chunks``, ``kept`` (files of which the table holds readable text) and ``versions``; or ``absent``,
what is not installed. It knows none of our packages, so that their requirements and the framework's
need not agree. Each is used as its documentation shows, with pieces of 256 tokens that do not
overlap, as in ``plain``. A file that a loader refuses is told on stderr, and the others go on.
"""

import json
import os
import sys
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CHUNK_TOKENS = 256
NEEDS = {
    "llamaindex": (
        "llama-index-core",
        "llama-index-vector-stores-lancedb",
        "llama-index-embeddings-huggingface",
        "llama-index-readers-file",
    ),
    "langchain": ("langchain-community", "langchain-lancedb", "langchain-huggingface", "pypdf"),
}
WAYS = tuple(NEEDS)
TABLE = "chunks"


def llamaindex(job: dict[str, Any]) -> dict[str, Any]:
    """SimpleDirectoryReader, SentenceSplitter, VectorStoreIndex over LanceDBVectorStore."""
    import lancedb
    from llama_index.core import SimpleDirectoryReader, StorageContext, VectorStoreIndex
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding
    from llama_index.vector_stores.lancedb import LanceDBVectorStore
    from transformers import AutoTokenizer

    model = HuggingFaceEmbedding(job["model"], max_length=CHUNK_TOKENS, device="cpu")
    tokenizer = AutoTokenizer.from_pretrained(job["model"]).tokenize
    model.get_text_embedding("The first pass of a model is slow.")
    begun, cpu = time.perf_counter(), time.process_time()
    documents = SimpleDirectoryReader(input_files=job["files"]).load_data()
    # Two tokens less: the model puts [CLS] and [SEP] around each piece.
    # By itself it counts the path of the file, which goes before each piece, among its tokens.
    splitter = SentenceSplitter(chunk_size=CHUNK_TOKENS - 2, chunk_overlap=0, tokenizer=tokenizer)
    store = LanceDBVectorStore(uri=job["folder"], table_name=TABLE)
    VectorStoreIndex.from_documents(
        documents,
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=model,
        transformations=[splitter],
    )
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    rows = lancedb.connect(job["folder"]).open_table(TABLE).to_arrow()
    kept = [
        str(metadata["file_path"])
        for metadata, text in zip(
            rows["metadata"].to_pylist(), rows["text"].to_pylist(), strict=True
        )
        if is_readable(text)
    ]
    return {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "chunks": rows.num_rows,
        "kept": sorted(set(kept)),
    }


def langchain(job: dict[str, Any]) -> dict[str, Any]:
    """PyPDFLoader and TextLoader, RecursiveCharacterTextSplitter, LanceDB."""
    from langchain_community.document_loaders import PyPDFLoader, TextLoader
    from langchain_huggingface import HuggingFaceEmbeddings
    from langchain_lancedb import LanceDB
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from transformers import AutoTokenizer

    model = HuggingFaceEmbeddings(
        model_name=job["model"],
        model_kwargs={"device": "cpu", "local_files_only": True},
        encode_kwargs={"normalize_embeddings": True},
    )
    model._client.max_seq_length = CHUNK_TOKENS
    tokenizer = AutoTokenizer.from_pretrained(job["model"])
    model.embed_documents(["The first pass of a model is slow."])
    begun, cpu = time.perf_counter(), time.process_time()
    documents = []
    for file in job["files"]:
        is_pdf = Path(file).suffix.lower() == ".pdf"
        loader = PyPDFLoader(file) if is_pdf else TextLoader(file, encoding="utf-8")
        try:
            documents += loader.load()
        except Exception as error:  # whatever it is, a user would go on with the other files
            print(f"{file}: {error!r}", file=sys.stderr)
    splitter = RecursiveCharacterTextSplitter.from_huggingface_tokenizer(
        tokenizer, chunk_size=CHUNK_TOKENS - 2, chunk_overlap=0
    )
    chunks = splitter.split_documents(documents)
    LanceDB.from_documents(chunks, model, uri=job["folder"], table_name=TABLE)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    return {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "chunks": len(chunks),
        "kept": sorted({str(c.metadata["source"]) for c in chunks if is_readable(c.page_content)}),
    }


def is_readable(text: str) -> bool:
    """Whether a piece is text: it has a letter, and no NUL as UTF-16 has that was taken for
    something else."""
    return any(map(str.isalpha, text)) and "\0" not in text


def missing(way: str) -> list[str]:
    """Distributions that ``way`` needs and that are not installed here."""
    absent = []
    for name in NEEDS[way]:
        try:
            version(name)
        except ModuleNotFoundError:
            absent.append(name)
    if find_spec("lancedb") is None:
        absent.append("lancedb")
    return absent


def main() -> None:
    """Run one way on the job that standard input holds."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    way = sys.argv[1]
    if absent := missing(way):
        print(json.dumps({"absent": f"{', '.join(absent)} not installed"}))
        return
    job = json.load(sys.stdin)
    answer = {"llamaindex": llamaindex, "langchain": langchain}[way](job)
    answer["versions"] = {name: version(name) for name in NEEDS[way]}
    print("\n" + json.dumps(answer))


if __name__ == "__main__":
    main()
