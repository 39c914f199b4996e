-- What a probe found in the bytes, as JSON: the facts, or the word "unreadable". Null until somebody looks.
ALTER TABLE files ADD COLUMN facts TEXT;
