#include "tools/api_pages.hpp"

#include "tools/json_text.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <limits>
#include <ostream>

namespace notify::ctl {

namespace {

constexpr size_t largest_page = 200; ///< The service's own limit.

caf::expected<size_t> wanted(const cli::arguments& options) {
  if (options.has("all"))
    return std::numeric_limits<size_t>::max();
  auto limit = cli::number(options, "limit", 1, 1'000'000);
  if (!limit)
    return std::move(limit.error());
  return static_cast<size_t>(*limit);
}

} // namespace

api_list read_list(api_client& from, const cli::arguments& options, const std::string& path,
                   const api_query& query, api_answer& broken) {
  api_list result;
  auto known = wanted(options);
  auto limit = known ? *known : 0;
  auto first = query;
  first.emplace_back("limit", std::to_string(std::min(limit, largest_page)));
  auto answer = from.get(path, first);
  for (;;) {
    if (!answer.ok()) {
      broken = std::move(answer);
      return result;
    }
    for (const auto& x : items_of(member(answer.body, "items"))) {
      if (result.items.size() == limit) {
        result.has_more = true;
        return result;
      }
      result.items.push_back(x);
    }
    auto next = text_of(answer.body, "next");
    // A page may be empty and have a next one all the same.
    if (next.empty())
      return result;
    if (result.items.size() == limit) {
      result.has_more = true;
      return result;
    }
    answer = from.get(next);
  }
}

int show_list(const cli::arguments& options, streams io, std::string_view name,
              const std::string& path, const api_query& query,
              const std::function<std::string(const boost::json::array&)>& table) {
  if (auto limit = wanted(options); !limit)
    return usage_error(limit.error(), name, io);
  auto client = api_client::open(options, io);
  if (!client)
    return give_up(client.error(), name, io);
  api_answer broken;
  auto list = read_list(**client, options, path, query, broken);
  if (options.has("json"))
    for (const auto& x : list.items)
      io.out << boost::json::serialize(x) << '\n';
  else if (broken.ok() || !list.items.empty())
    io.out << table(list.items);
  if (!broken.ok())
    return report(broken, name, io);
  if (list.has_more)
    io.err << "There are more: say --limit=N or --all.\n";
  return cli::success;
}

int show_answer(const cli::arguments& options, streams io, std::string_view name,
                const api_answer& answer,
                const std::function<std::string(const boost::json::value&)>& text) {
  if (!answer.ok())
    return report(answer, name, io);
  if (options.has("json"))
    io.out << boost::json::serialize(answer.body) << '\n';
  else
    io.out << text(answer.body);
  return cli::success;
}

} // namespace notify::ctl
