#!/bin/sh
# A scorer of groups and of pairs: the larger the file of a sample, the better. Adds a line for each request to the file "requests": the
# number of its samples, and a checksum of all but its number. The file "mode" may name a way to fail.
while read -r request; do
  id=${request#*:}; id=${id%%,*}
  echo "$(printf '%s' "$request" | grep -o '"image"' | wc -l) $(printf '%s' "${request#*,}" | cksum)" >> requests
  scores=$(printf '%s\n' "$request" | awk '{
    samples = split($0, parts, "\"image\":\"") - 1
    for (i = 1; i <= samples; ++i) size[i] = index(parts[i + 1], "\"")
    if (at = index($0, "\"pairs\":[[")) {
      rest = substr($0, at + 10)
      count = split(substr(rest, 1, index(rest, "]]") - 1), pairs, "],\\[")
      for (i = 1; i <= count; ++i) {
        split(pairs[i], pair, ",")
        a = size[pair[1] + 1]; b = size[pair[2] + 1]
        printf "%s%s", (i > 1 ? "," : ""), (a > b ? 1 : a < b ? 0 : 0.5)
      }
    } else for (i = 1; i <= samples; ++i) {
      wins = 0
      for (k = 1; k <= samples; ++k) if (k != i) wins += (size[i] > size[k] ? 1 : size[i] < size[k] ? 0 : 0.5)
      printf "%s%.9g", (i > 1 ? "," : ""), wins / (samples - 1)
    }
  }')
  case $(cat mode 2>/dev/null) in
    die) [ "$id" -lt 3 ] || { echo out of order >&2; kill -9 $$; } ;;
    hang) sleep 100 ;;
    garbage) echo 'I like them all.'; continue ;;
    few) scores=1,2,3 ;;
    range) scores=$(echo "$scores" | sed 's/^[^,]*/1.5/') ;;
  esac
  echo '{"id":'$id',"scores":['$scores']}'
done
