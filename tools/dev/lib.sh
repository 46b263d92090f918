# shellcheck shell=bash
# What the scripts of this folder share. Source it first:
#
#   source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
#
# A script that starts services sets `state_dir` to the folder of their data, logs and pid files.

set -euo pipefail

repo_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cache_dir=${XDG_CACHE_HOME:-${HOME:?}/.cache}/notify-dev

# shellcheck source=tools/dev/lib/say.sh
source "$repo_dir/tools/dev/lib/say.sh"
# shellcheck source=tools/dev/lib/packages.sh
source "$repo_dir/tools/dev/lib/packages.sh"
# shellcheck source=tools/dev/lib/process.sh
source "$repo_dir/tools/dev/lib/process.sh"
# shellcheck source=tools/dev/lib/build.sh
source "$repo_dir/tools/dev/lib/build.sh"
# shellcheck source=tools/dev/lib/postgres.sh
source "$repo_dir/tools/dev/lib/postgres.sh"
# shellcheck source=tools/dev/lib/kafka.sh
source "$repo_dir/tools/dev/lib/kafka.sh"
# shellcheck source=tools/dev/lib/maildev.sh
source "$repo_dir/tools/dev/lib/maildev.sh"
