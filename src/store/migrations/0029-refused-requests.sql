-- Requests that were refused, counted by hour, caller, route and sentence; kept for some days. Each process adds a
-- bounded number of rows in an hour, whatever is sent to it.
CREATE TABLE refused_requests (
  -- Epoch ms of its beginning.
  hour BIGINT NOT NULL,
  -- The id of a key; of a request without a valid one the network of its address.
  caller TEXT NOT NULL,
  -- Method and path as the route declares it.
  route TEXT NOT NULL,
  status INTEGER NOT NULL,
  code TEXT NOT NULL,
  sentence TEXT NOT NULL,
  requests BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  -- Names of the fields of one of the bodies, as a JSON list; null where none was read.
  body_fields TEXT,
  PRIMARY KEY (hour, caller, route, code, sentence)
);
