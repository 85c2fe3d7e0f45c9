# Links lists links in Markdown files that lead to files which are not there.
set -euo pipefail

cd /workspace/docs
find . -name '*.md' -type f | sort | while read -r file; do
  { grep -noE '\]\([^)# ]+' "$file" || true; } | while IFS=: read -r line link; do
    link=${link#](}
    case $link in *:*) continue ;; esac # elsewhere
    [ -e "$(dirname "$file")/$link" ] || echo "${file#./}:$line: $link"
  done
done
