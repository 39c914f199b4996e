#!/bin/sh
# Creates a job with curl, waits for its end, and downloads the result. Needs curl and jq.
#
#   ATELIER_URL=http://127.0.0.1:8080 ATELIER_API_KEY=atl_… examples/create-and-wait.sh "A red balloon" balloon.png
set -eu

prompt=${1:-A lighthouse above the sea at dusk}
file=${2:-picture.png}

ask() { curl --silent --show-error --fail-with-body --header "Authorization: Bearer $ATELIER_API_KEY" "$@"; }

# An Idempotency-Key makes a repetition of this request safe: the same key is the same job, for 24 hours.
job=$(jq --null-input --arg prompt "$prompt" '{ prompt: $prompt, aspect_ratio: "1:1" }' |
  ask --request POST "$ATELIER_URL/v1/queue/gamma-v3-image" \
    --header 'Content-Type: application/json' \
    --header "Idempotency-Key: $(date +%s)-$$" \
    --data @-)
status_url=$(printf '%s' "$job" | jq --raw-output .status_url)
response_url=$(printf '%s' "$job" | jq --raw-output .response_url)

# The gateway answers when the status changes, and after 60 seconds at the latest.
while
  status=$(ask --header 'Prefer: wait=60' "$status_url" | jq --raw-output .status)
  [ "$status" != COMPLETED ]
do echo "$status" >&2; done

# COMPLETED is the end of a job, good or bad: `error` says which.
result=$(ask "$response_url" || true)
error=$(printf '%s' "$result" | jq --raw-output '.error.message // empty')
if [ -n "$error" ]; then
  echo "$error" >&2
  exit 1
fi

# The address of a file is signed and needs no key.
curl --silent --show-error --fail --output "$file" "$(printf '%s' "$result" | jq --raw-output '.images[0].url')"
echo "$file"
