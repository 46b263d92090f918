# shellcheck shell=bash
# Apache Kafka, one node in KRaft mode, run from its jars: no installation, no ZooKeeper.

kafka_version=$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$repo_dir/tools/dev/kafka/pom.xml")
kafka_jars=$cache_dir/kafka-$kafka_version/jars

# fetch_kafka LOG: the jars, once per version and user.
fetch_kafka() {
  local draft
  need_version java "$(java_version)" 17
  [[ ! -d $kafka_jars ]] || return 0
  say "fetching Apache Kafka $kafka_version (43 MB)"
  mkdir -p "${kafka_jars%/*}"
  draft=$(mktemp -d "$kafka_jars.XXXXXX")
  quietly "$1" "fetching Kafka's jars with Maven" \
    mvn -B -q -f "$repo_dir/tools/dev/kafka/pom.xml" \
    org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DincludeScope=runtime \
    -DoutputDirectory="$draft"
  # Renamed into place, so that a folder with the final name is complete.
  mv -T "$draft" "$kafka_jars" 2>/dev/null || rm -rf "$draft"
}

kafka_properties() {
  local port=$1 controller=$2
  cat <<END
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs=$state_dir/kafka/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
default.replication.factor=1
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
END
}

# begin_kafka PORT CONTROLLER_PORT: starts it without waiting. Keeps a broker that already runs.
begin_kafka() {
  local dir=$state_dir/kafka
  ! service_running kafka || return 0
  mkdir -p "$dir"
  kafka_properties "$1" "$2" >"$dir/server.properties"
  start_daemon kafka "$repo_dir/tools/dev/kafka/run" "$kafka_jars" "$dir/server.properties" "$dir/data"
  remember kafka.port "$1"
}

# await_kafka NOTIFYCTL: until a client gets an answer; sets kafka_address.
await_kafka() {
  kafka_address=127.0.0.1:$(recall kafka.port)
  wait_for kafka 90 "$1" topics wait --timeout=1 "--brokers=$kafka_address"
}

stop_kafka() {
  stop_service kafka TERM 60
}
