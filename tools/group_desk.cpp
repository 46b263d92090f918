#include "tools/group_desk.hpp"

#include "messages/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <ostream>

namespace notify::ctl {

caf::error refuse(std::string text) {
  return caf::make_error(ec::invalid_config, std::move(text));
}

int failure(const caf::error& error, const char* command, const cli::arguments& from, streams io) {
  io.err << "notifyctl " << command << ": " << cli::message(error) << " (brokers "
         << from.at("brokers") << ")\n";
  return cli::failed;
}

caf::expected<group_desk> group_desk::open(cli::arguments from) {
  auto timeout = cli::number(from, "timeout", 1, 3600);
  if (!timeout)
    return std::move(timeout.error());
  auto brokers = cli::split_list(from.at("brokers"));
  auto group = kafka::group_offsets::open(brokers, from.at("group"));
  if (!group)
    return std::move(group.error());
  auto admin = kafka::admin::create(brokers, "notifyctl");
  if (!admin)
    return std::move(admin.error());
  return group_desk{std::move(*group), std::move(*admin), std::chrono::seconds{*timeout},
                    std::move(from)};
}

caf::expected<offset_map> group_desk::committed(const std::string& topic) {
  auto all = admin.committed(from.at("group"), timeout);
  if (!all)
    return std::move(all.error());
  offset_map result;
  for (const auto& x : *all)
    if (x.topic == topic)
      result[x.partition] = x.offset;
  return result;
}

caf::error group_desk::require_no_members() {
  auto count = group.members(timeout);
  if (!count)
    return std::move(count.error());
  if (*count > 0)
    return refuse("the group " + from.at("group") + " has " + std::to_string(*count)
                  + " members: stop the service first");
  return caf::none;
}

postgres_config group_desk::database() const {
  postgres_config result;
  result.url = from.at("database");
  result.application_name = "notifyctl";
  return result;
}

caf::error group_desk::move_and_record(const offset_map& after, const audit_entry& entry) {
  session db{database(), "offsets", planner::free};
  caf::error refused;
  auto done = run_transaction(db, [&] {
    write_audit(db.sql(), entry);
    refused = group.move(from.at("topic"), after, timeout);
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
