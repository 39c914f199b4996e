-- Whom an identity provider named logs in by it, and has no password: the hash is empty.
ALTER TABLE people ADD COLUMN issuer TEXT;
ALTER TABLE people ADD COLUMN subject TEXT CHECK ((subject IS NULL) = (issuer IS NULL));
CREATE UNIQUE INDEX people_of_identity ON people (issuer, subject);
