-- For the list of one state alone. Where nothing is known of the table yet, SQLite took it for what waits, too, and
-- read all that waits for every callback.
DROP INDEX deliveries_by_state;
CREATE INDEX deliveries_by_state ON deliveries ((state || ''), id);
