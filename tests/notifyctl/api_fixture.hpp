#pragma once

#include "tests/notifyctl/ctl_run.hpp"
#include "tests/support/scripted_http.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace notify::test {

/// A service that gives prepared answers by method and target.
struct api_fixture {
  /// The next answers to this request, in order; the last one stays.
  void on(const std::string& request, std::vector<std::string> answers) {
    std::lock_guard guard{mutex};
    prepared[request] = std::move(answers);
  }

  void on(const std::string& request, int status, const std::string& body) {
    on(request, {web::answer_text(status, body, json)});
  }

  static std::string error(const std::string& code, const std::string& message) {
    return R"({"error":{"code":")" + code + R"(","message":")" + message + R"(","details":{}}})";
  }

  /// Runs notifyctl against this service.
  ctl_outcome run(std::vector<std::string> words) {
    words.push_back("--api=" + server.url(""));
    return notifyctl(words);
  }

  std::string answer_to(const received_request& x) {
    std::lock_guard guard{mutex};
    auto found = prepared.find(x.method() + " " + x.target());
    if (found == prepared.end())
      return web::answer_text(404, error("NOT_FOUND", "not prepared: " + x.target()), json);
    auto result = found->second.front();
    if (found->second.size() > 1)
      found->second.erase(found->second.begin());
    return result;
  }

  static inline const header_list json{{"Content-Type", "application/json"}};

  std::mutex mutex;
  std::map<std::string, std::vector<std::string>> prepared;
  scripted_http server{
      {web::repeat({web::take_request(), web::answer_with([this](const received_request& x) {
                      return answer_to(x);
                    })})}};
};

} // namespace notify::test
