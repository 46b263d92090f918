#pragma once

#include "tools/api_client.hpp"
#include "tools/notifyctl_options.hpp"

#include <boost/json/array.hpp>

#include <array>
#include <functional>
#include <string>

namespace notify::ctl {

/// Options of every command over HTTP.
inline constexpr std::array api_options = {api_option, token_file_option, ca_file_option,
                                           timeout_option, json_option};

/// Options of every list over HTTP.
inline constexpr std::array page_options = {
    cli::option{"limit", "N", "most lines", "50"},
    cli::option{"all", "", "all of them, however many", ""},
};

/// Lists of options as one.
template <size_t... Sizes>
constexpr std::array<cli::option, (Sizes + ...)>
joined(const std::array<cli::option, Sizes>&... lists) {
  std::array<cli::option, (Sizes + ...)> result{};
  size_t at = 0;
  auto add = [&](const auto& list) {
    for (const auto& x : list)
      result[at++] = x;
  };
  (add(lists), ...);
  return result;
}

/// A list that was read page by page.
struct api_list {
  boost::json::array items;
  bool has_more = false; ///< Beyond the limit.
};

/// Reads `--limit` items, or with `--all` every one. `broken` is the answer that ended it early;
/// what came before is in the list all the same.
api_list read_list(api_client& from, const cli::arguments& options, const std::string& path,
                   const api_query& query, api_answer& broken);

/// Reads a list and prints it: with `--json` a line for each item, else what `table` makes of all.
/// The exit code.
int show_list(const cli::arguments& options, streams io, std::string_view name,
              const std::string& path, const api_query& query,
              const std::function<std::string(const boost::json::array&)>& table);

/// One request whose answer is printed: with `--json` as it is, else what `text` makes of it.
int show_answer(const cli::arguments& options, streams io, std::string_view name,
                const api_answer& answer,
                const std::function<std::string(const boost::json::value&)>& text);

} // namespace notify::ctl
