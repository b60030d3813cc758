"""One peer of Ralph, measured in a process of its own: `peers.py chromadb|mem0 DATA STORE`.

DATA holds `texts.txt`, one text a line, and `vectors.f32`, as many vectors of DIMENSION little-endian floats; STORE is an
empty folder. It says its name and version in one JSON line, then answers each line it reads with another:

    add FROM TO      adds the items one at a time     -> {"millis": [...]}
    search FROM TO   searches with text and vector    -> {"millis": [...], "best": [number of the first hit, ...]}

Vectors are given, so that no model is loaded and no embedding is timed. Nothing may use the network.
"""

import json
import logging
import os
import socket
import sys
import time
from importlib.metadata import version
from pathlib import Path

KIND, DATA, STORE = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
DIMENSION = 384
HITS = 10

# Before the imports, which read it.
os.environ.update(ANONYMIZED_TELEMETRY="False", MEM0_TELEMETRY="False", MEM0_DIR=str(STORE / "mem0"))
# mem0 tells of optional parts (words, entities) that it goes without.
logging.disable(logging.WARNING)
# What a library prints must not stand between the answers.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def refuse(*_args, **_named):
    raise OSError("a measured peer may not use the network")


socket.socket.connect = refuse
socket.getaddrinfo = refuse


class Chromadb:
    """A persistent collection; the index is chromadb's own (HNSW)."""

    def __init__(self):
        import chromadb

        settings = chromadb.config.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(str(STORE / "chroma"), settings)
        self.memories = client.create_collection("memories", embedding_function=None, configuration={"hnsw": {"space": "cosine"}})

    def add(self, number, text, vector):
        self.memories.add(ids=[str(number)], embeddings=[vector], documents=[text])

    def search(self, _text, vector):
        return int(self.memories.query(query_embeddings=[vector], n_results=HITS)["ids"][0][0])


class Mem0:
    """`Memory` over its default store, Qdrant's local mode, on disk. `infer=False`: no model reads what is added."""

    def __init__(self):
        from mem0 import Memory

        # Clients are made but never asked.
        never = {"api_key": "never asked"}
        store = {"path": str(STORE / "qdrant"), "embedding_model_dims": DIMENSION, "on_disk": True}
        self.memory = Memory.from_config({
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": {"provider": "openai", "config": {**never, "embedding_dims": DIMENSION}},
            "llm": {"provider": "openai", "config": never},
            "history_db_path": str(STORE / "history.db"),
        })
        self.memory.embedding_model = self

    def embed(self, _text, memory_action=None):
        """Called by mem0 for every text: the vector that was given."""
        return self.vector

    def add(self, number, text, vector):
        self.vector = vector
        self.memory.add(text, user_id="bench", metadata={"number": number}, infer=False)

    def search(self, text, vector):
        self.vector = vector
        return self.memory.search(text, top_k=HITS, filters={"user_id": "bench"})["results"][0]["metadata"]["number"]


def vector_of(number):
    import numpy

    vector = numpy.fromfile(DATA / "vectors.f32", "<f4", DIMENSION, offset=number * DIMENSION * 4)
    return vector if KIND == "chromadb" else vector.tolist()


def answer(value):
    print(json.dumps(value), file=answers, flush=True)


def main():
    package, make = {"chromadb": ("chromadb", Chromadb), "mem0": ("mem0ai", Mem0)}[KIND]
    texts = (DATA / "texts.txt").read_text(encoding="utf-8").splitlines()
    peer = make()
    answer({"name": f"{KIND} {version(package)}"})
    for line in sys.stdin:
        what, start, end = line.split()
        millis, best = [], []
        for number in range(int(start), int(end)):
            text, vector = texts[number], vector_of(number)
            before = time.perf_counter()
            found = peer.add(number, text, vector) if what == "add" else peer.search(text, vector)
            millis.append((time.perf_counter() - before) * 1_000)
            best.append(found)
        answer({"millis": millis} if what == "add" else {"millis": millis, "best": best})


main()
