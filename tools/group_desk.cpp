#include "tools/group_desk.hpp"

#include "messages/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <ostream>

namespace notify::ctl {

int failure(const caf::error& error, std::string_view path, const cluster& servers, streams io) {
  io.err << "notifyctl " << path << ": " << cli::message(error) << servers.suffix() << '\n';
  return cli::failed;
}

caf::expected<group_desk> group_desk::open(cli::arguments from) {
  auto timeout = cli::number(from, "timeout", 1, 3600);
  if (!timeout)
    return std::move(timeout.error());
  auto config = read_settings(from);
  if (!config)
    return std::move(config.error());
  auto topic = event_topic(from, **config);
  // Only whoever moves offsets works on one topic.
  auto is_needed = from.has("to") || from.has("partition");
  if (!topic && is_needed)
    return std::move(topic.error());
  auto servers = cluster_of(**config);
  const auto& name = (*config)->service().kafka.group;
  auto group = kafka::group_offsets::open(servers.brokers, name, servers.connection);
  if (!group)
    return std::move(group.error());
  auto admin = kafka::admin::create(servers.brokers, "notifyctl", servers.connection);
  if (!admin)
    return std::move(admin.error());
  return group_desk{std::move(*group),
                    std::move(*admin),
                    std::chrono::seconds{*timeout},
                    std::move(from),
                    name,
                    topic ? std::move(*topic) : std::string{},
                    std::move(servers),
                    database_of(**config)};
}

caf::expected<offset_map> group_desk::committed() {
  auto all = admin.committed(name, timeout);
  if (!all)
    return std::move(all.error());
  offset_map result;
  for (const auto& x : *all)
    if (x.topic == topic)
      result[x.partition] = x.offset;
  return result;
}

caf::error group_desk::require_no_members() {
  auto now = group.describe(timeout);
  if (!now)
    return std::move(now.error());
  if (now->members > 0)
    return refuse("the group " + name + " has " + std::to_string(now->members)
                  + " members: stop the service first");
  return caf::none;
}

caf::error group_desk::move_and_record(const offset_map& after, const audit_entry& entry) {
  session db{database, "offsets", planner::free};
  caf::error refused;
  auto done = run_transaction(db, [&] {
    write_audit(db.sql(), entry);
    refused = group.move(topic, after, timeout);
    if (refused)
      throw refused_value{"not moved"};
    return true;
  });
  if (refused)
    return refused;
  if (!done)
    return refuse("the audit row was not written, look at the offsets: " + render(done.error()));
  return caf::none;
}

void print_moves(const std::string& topic, const offset_map& before, const offset_map& after,
                 streams io) {
  for (const auto& [partition, offset] : after) {
    auto old = before.find(partition);
    io.out << topic << ' ' << partition << ' '
           << (old != before.end() ? std::to_string(old->second) : "-") << ' ' << offset << '\n';
  }
}

std::string details_of(const std::string& topic, const offset_map& before, const offset_map& after,
                       const std::string& why, const std::string& text) {
  boost::json::object moves;
  for (const auto& [partition, offset] : after) {
    auto old = before.find(partition);
    boost::json::object move;
    move["from"] = old != before.end() ? boost::json::value(old->second) : boost::json::value();
    move["to"] = offset;
    moves[std::to_string(partition)] = std::move(move);
  }
  boost::json::object result;
  result[why] = text;
  result["topic"] = topic;
  result["partitions"] = std::move(moves);
  return boost::json::serialize(result);
}

} // namespace notify::ctl
