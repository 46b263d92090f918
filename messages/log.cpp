#include "messages/log.hpp"

#include "messages/repeat_limiter.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <mutex>
#include <vector>

namespace notify::log {

namespace {

std::atomic<format> current_format = format::text;

spdlog::level::level_enum to_spdlog(level x) {
  switch (x) {
  case level::debug:
    return spdlog::level::debug;
  case level::info:
    return spdlog::level::info;
  case level::warning:
    return spdlog::level::warn;
  case level::error:
    break;
  }
  return spdlog::level::err;
}

std::string_view name_of(level x) {
  switch (x) {
  case level::debug:
    return "debug";
  case level::info:
    return "info";
  case level::warning:
    return "warning";
  case level::error:
    break;
  }
  return "error";
}

/// Never destroyed: actors may still log while the process leaves `main`.
spdlog::logger& logger() {
  static auto* instance = [] {
    auto* result = new spdlog::logger("notify", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    result->set_pattern("%v");
    result->set_level(spdlog::level::info);
    result->flush_on(spdlog::level::debug);
    return result;
  }();
  return *instance;
}

/// UTC with milliseconds, RFC 3339.
std::string timestamp() {
  using namespace std::chrono;
  auto now = system_clock::now();
  auto seconds = system_clock::to_time_t(now);
  auto millis = duration_cast<milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[80];
  std::snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(millis));
  return text;
}

/// What `repeated` and `redirect` need; never destroyed, as the logger.
struct shared_state {
  std::mutex mutex;
  repeat_limiter limiter{std::chrono::minutes{1}};
  std::function<void(std::string_view)> sink;
  std::function<repeat_limiter::time_point()> now;
};

shared_state& shared() {
  static auto* instance = new shared_state;
  return *instance;
}

boost::json::value to_json(const field& x) {
  return std::visit([](const auto& v) { return boost::json::value(v); }, x.value);
}

std::string json_line(level x, std::string_view component, std::string_view message,
                      const std::vector<field>& more) {
  boost::json::object line;
  line["time"] = timestamp();
  line["level"] = name_of(x);
  line["component"] = component;
  line["message"] = message;
  for (const auto& f : more)
    line[f.name] = to_json(f);
  return boost::json::serialize(line);
}

std::string text_line(level x, std::string_view component, std::string_view message,
                      const std::vector<field>& more) {
  auto line = timestamp();
  line += ' ';
  line += name_of(x);
  line += ' ';
  line += component;
  line += ": ";
  line += message;
  for (const auto& f : more) {
    line += ' ';
    line += f.name;
    line += '=';
    const auto* text = std::get_if<std::string>(&f.value);
    // Quoted as JSON when needed: a value cannot start a new line or look like another field.
    if (text != nullptr && !text->empty()
        && text->find_first_of(" \"=\\\n\r\t") == std::string::npos)
      line += *text;
    else
      line += boost::json::serialize(to_json(f));
  }
  return line;
}

void put(level x, std::string_view component, std::string_view message,
         const std::vector<field>& more) {
  auto line = current_format.load() == format::json ? json_line(x, component, message, more)
                                                    : text_line(x, component, message, more);
  std::unique_lock guard{shared().mutex};
  if (auto sink = shared().sink) {
    guard.unlock();
    sink(line);
    return;
  }
  guard.unlock();
  logger().log(to_spdlog(x), spdlog::string_view_t{line.data(), line.size()});
}

repeat_limiter::time_point time_of_repeats() {
  return shared().now ? shared().now() : std::chrono::steady_clock::now();
}

/// Tells what was only counted and whose time is over.
void put_summaries() {
  std::unique_lock guard{shared().mutex};
  auto due = shared().limiter.due(time_of_repeats());
  guard.unlock();
  for (auto& x : due) {
    x.last.more.emplace_back("more", x.count);
    put(x.last.how, x.last.component, x.last.message, x.last.more);
  }
}

} // namespace

void configure(level lowest, format how) {
  current_format = how;
  logger().set_level(to_spdlog(lowest));
}

bool enabled(level x) {
  return logger().should_log(to_spdlog(x));
}

void write(level x, std::string_view component, std::string_view message, fields more) {
  if (!enabled(x))
    return;
  put_summaries();
  put(x, component, message, more);
}

void repeated(level x, std::string_view component, std::string_view message, fields more) {
  if (!enabled(x))
    return;
  put_summaries();
  std::unique_lock guard{shared().mutex};
  auto is_news = shared().limiter.is_news({x, std::string{component}, std::string{message}, more},
                                          time_of_repeats());
  guard.unlock();
  if (is_news)
    put(x, component, message, more);
}

void set_repeat_interval(std::chrono::milliseconds interval) {
  std::lock_guard guard{shared().mutex};
  shared().limiter = repeat_limiter{interval};
}

void redirect(std::function<void(std::string_view)> sink,
              std::function<std::chrono::steady_clock::time_point()> now) {
  std::lock_guard guard{shared().mutex};
  shared().sink = std::move(sink);
  shared().now = std::move(now);
}

} // namespace notify::log
