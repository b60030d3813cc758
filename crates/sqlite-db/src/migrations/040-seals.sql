-- What Ralph itself wrote last of each row that is a person's. A row that differs was written by another program, such as an agent's.
CREATE TABLE seals (
    of TEXT NOT NULL,
    row INTEGER NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (of, row)
) STRICT, WITHOUT ROWID;
