-- One row once anybody has, or had, an account of the console: who comes first can do so once.
CREATE TABLE setup (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  ended_at BIGINT NOT NULL
);
INSERT INTO setup (id, ended_at) SELECT 1, MIN(created_at) FROM people HAVING COUNT(*) > 0;
