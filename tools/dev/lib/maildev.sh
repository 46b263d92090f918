# shellcheck shell=bash
# MailDev: takes every mail and shows it on a page.

maildev_source=$repo_dir/tools/dev/maildev
maildev_dir=$cache_dir/maildev-$(sha256sum "$maildev_source/package-lock.json" | cut -c 1-16)

# fetch_maildev LOG: its packages, once per lock file and user.
fetch_maildev() {
  local draft
  need_version node "$(node_version)" 18
  [[ ! -d $maildev_dir ]] || return 0
  say "fetching MailDev (41 MB)"
  mkdir -p "$cache_dir"
  draft=$(mktemp -d "$cache_dir/maildev.XXXXXX")
  cp "$maildev_source/package.json" "$maildev_source/package-lock.json" "$draft"
  quietly "$1" "fetching MailDev with npm" \
    npm ci --prefix "$draft" --omit=dev --ignore-scripts --no-audit --no-fund
  # Renamed into place, so that a folder with the final name is complete.
  mv -T "$draft" "$maildev_dir" 2>/dev/null || rm -rf "$draft"
}

# begin_maildev SMTP_PORT WEB_PORT: starts it without waiting. Keeps one that already runs.
begin_maildev() {
  ! service_running maildev || return 0
  mkdir -p "$state_dir/maildev"
  start_daemon maildev node "$maildev_dir/node_modules/maildev/bin/maildev" \
    --ip 127.0.0.1 --smtp "$1" --web "$2" --mail-directory "$state_dir/maildev"
  remember maildev.smtp "$1"
  remember maildev.web "$2"
}

maildev_ready() {
  curl -fsS -m 2 -o /dev/null "$maildev_url/email" && listening "${smtp_address##*:}"
}

# await_maildev: sets smtp_address and maildev_url.
await_maildev() {
  smtp_address=127.0.0.1:$(recall maildev.smtp)
  maildev_url=http://127.0.0.1:$(recall maildev.web)
  wait_for maildev 60 maildev_ready
}

stop_maildev() {
  stop_service maildev TERM 10
}
