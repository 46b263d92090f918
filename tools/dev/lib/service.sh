# shellcheck shell=bash
# Our own programs, as tools/dev/up runs them. Uses the addresses that `up` found out.

# shellcheck disable=SC2154 # kafka, smtp, the ports: set by the script that sources this

# The checks before a merge have the sanitizers look at the quick start, too.
preset=${NOTIFY_DEV_PRESET:-release}
bin_dir=$repo_dir/build/$preset/tools

# begin_dev_broker PROGRAM TOPICS: the in-memory Kafka, without waiting.
begin_dev_broker() {
  ! service_running dev-broker || return 0
  rm -f "$state_dir/run/dev-broker.address"
  start_daemon dev-broker "$1" "--topics=$2" "--bootstrap-file=$state_dir/run/dev-broker.address"
}

await_dev_broker() {
  wait_for dev-broker 30 test -s "$state_dir/run/dev-broker.address"
  kafka_address=$(recall dev-broker.address)
}

# The database's URL without a password.
shown_url() {
  if [[ $postgres_url =~ ^([^:]+://[^:/@]+):[^@/]*(@.*)$ ]]; then
    echo "${BASH_REMATCH[1]}:***${BASH_REMATCH[2]}"
  else
    echo "$postgres_url"
  fi
}

# On other people's Kafka a group of our own: in the common one we would take events from a service
# that is not ours.
consumer_group() {
  if [[ -z $kafka || $kafka == embedded ]]; then
    echo notification-service-v1
  else
    echo "notify-dev-$(hostname)-$(cksum <<<"$state_dir" | cut -d ' ' -f 1)"
  fi
}

# write_notifyd_settings: sets settings_file.
write_notifyd_settings() {
  settings_file=$state_dir/notifyd.ini
  # A database URL may hold a password.
  (umask 077 && cat >"$settings_file") <<END
; Written by tools/dev/up at every start. All settings: notifyd --help

[service]
instance="dev"
routes-file="$repo_dir/tools/config/routes.json"
templates-folder="$repo_dir/tools/config/templates"

[postgres]
url="$postgres_url"

[kafka]
brokers=["$kafka_address"]
group="$(consumer_group)"
; On a developer's machine every event may be read from the beginning.
offset-reset="earliest"

[channel-email]
provider="smtp"
smtp-host="${smtp_address%:*}"
smtp-port=${smtp_address##*:}
smtp-security="none"
smtp-from-address="shop@example.com"
smtp-from-name="Example Shop"

[http]
address="127.0.0.1"
port=$http_port
; On a developer's machine everybody may do everything.
auth="none"

[inspection]
port=$inspection_port
END
}

# What a running notifyd was started from; another value means that it is out of date.
notifyd_fingerprint() {
  {
    sha256sum "$bin_dir/notifyd" "$settings_file"
    find "$repo_dir/tools/config" -type f -exec sha256sum {} + | sort
  } | sha256sum
}

notifyd_ready() {
  curl -fsS -m 2 -o /dev/null "$notifyd_url/health/ready"
}

# start_notifyd: ready when it returns. Restarts it if the program or its settings changed.
start_notifyd() {
  local fingerprint
  notifyd_url=http://127.0.0.1:$http_port
  fingerprint=$(notifyd_fingerprint)
  if service_running notifyd && [[ $(recall notifyd.fingerprint) != "$fingerprint" ]]; then
    say "notifyd or its settings changed: restarting it"
    stop_service notifyd TERM 40
  fi
  if ! service_running notifyd; then
    need_port "$http_port" notifyd NOTIFY_DEV_HTTP_PORT
    need_port "$inspection_port" "notifyd's actors" NOTIFY_DEV_INSPECTION_PORT
    start_daemon notifyd "$bin_dir/notifyd" run "--config=$settings_file"
    remember notifyd.fingerprint "$fingerprint"
  fi
  wait_for notifyd 60 notifyd_ready
}

job_status() {
  psql "$postgres_url" -XAtqc "select status, coalesce(last_error_code, '') from notify.notifications
    where event_id = '$1' and channel = 'email'"
}

job_sent() {
  [[ $(job_status "$1") == sent\|* ]]
}

# no_mail EVENT_ID: says what is known about a notification that did not arrive.
no_mail() {
  show_tail "$(log_of notifyd)"
  fail "no mail for event $1 within 60 s" \
    "the notification's status and last error: $(job_status "$1" || echo unknown)" \
    "notifyd's log: $(log_of notifyd)"
}

# send_sample: publishes one event and waits for what becomes of it.
send_sample() {
  local recipient event mail
  recipient=anna.$(printf '%04x%04x' "$RANDOM" "$RANDOM")@example.com
  event=$("$bin_dir/notifyctl" produce "--brokers=$kafka_address" --type=order.paid.v1 \
    "--email=$recipient" 2>>"$state_dir/log/setup.log") \
    || fail "the sample event was not published" "see $state_dir/log/setup.log"
  say "published order.paid.v1, event $event"
  if [[ -n $smtp ]]; then
    wait_for_status "$event" "$recipient"
    return
  fi
  mail=$(node "$repo_dir/tools/dev/maildev/wait-for-mail.mjs" "$maildev_url" "$recipient" 60) \
    || no_mail "$event"
  {
    read -r subject
    read -r recipient
  } <<<"$mail"
  say "mail received: \"$subject\", to $recipient"
}

# wait_for_status EVENT_ID RECIPIENT: for a mail server whose mailboxes are not ours to read.
wait_for_status() {
  local limit=$((SECONDS + 60))
  until job_sent "$1"; do
    ((SECONDS < limit)) || no_mail "$1"
    sleep 0.2
  done
  say "mail to $2 was accepted by $smtp_address (status sent; its mailbox is not looked into)"
}

show_summary() {
  cat <<END

  notifyd    $notifyd_url/health/ready
  API        $notifyd_url/openapi.json, open to everybody on this machine
END
  if [[ -z $smtp ]]; then
    echo "  mail       $maildev_url"
  fi
  cat <<END
  database   psql $(shown_url)
  Kafka      $kafka_address
  logs       $state_dir/log
  settings   $settings_file

  its actors:    $bin_dir/notifyctl top --address=127.0.0.1:$inspection_port
  another event: $bin_dir/notifyctl produce --brokers=$kafka_address --locale=ru
  stop:          tools/dev/down
END
}
