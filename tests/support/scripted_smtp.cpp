#include "tests/support/scripted_smtp.hpp"

#include <algorithm>
#include <utility>

namespace notify::test {

std::string undo_dot_stuffing(std::string_view data) {
  std::string result;
  auto is_line_start = true;
  for (auto x : data) {
    if (!is_line_start || x != '.')
      result += x;
    is_line_start = x == '\n';
  }
  return result;
}

bool smtp_peer::read_line(std::string& line) {
  auto& unread = wire_.unread();
  size_t end = 0;
  while ((end = unread.find("\r\n")) == std::string::npos)
    if (!wire_.fill())
      return false;
  line = unread.substr(0, end);
  unread.erase(0, end + 2);
  server_.note(line);
  return true;
}

bool smtp_peer::read_data(std::string& data) {
  auto& unread = wire_.unread();
  for (;;) {
    // The dot may be the first line, so the search begins at the line end before it.
    auto text = "\r\n" + unread;
    auto end = text.find("\r\n.\r\n");
    if (end != std::string::npos) {
      data = text.substr(std::min<size_t>(2, end), end < 2 ? 0 : end);
      unread.erase(0, end + 3);
      return true;
    }
    if (!wire_.fill())
      return false;
  }
}

scripted_smtp::scripted_smtp(std::vector<smtp_script> scripts)
    : scripts_(std::move(scripts)),
      wires_("127.0.0.1", [this](size_t number, scripted_peer& wire) { serve(number, wire); }) {}

void scripted_smtp::serve(size_t number, scripted_peer& wire) {
  smtp_peer peer{*this, wire};
  for (const auto& step : scripts_[std::min(number, scripts_.size() - 1)])
    if (!step(peer))
      break;
}

void scripted_smtp::keep(received_mail mail) {
  std::lock_guard guard{mutex_};
  mails_.push_back(std::move(mail));
}

void scripted_smtp::note(const std::string& command) {
  std::lock_guard guard{mutex_};
  commands_.push_back(command);
}

void scripted_smtp::fail(std::string what) {
  if (is_stopped())
    return;
  std::lock_guard guard{mutex_};
  failures_.push_back(std::move(what));
}

std::vector<received_mail> scripted_smtp::mails() const {
  std::lock_guard guard{mutex_};
  return mails_;
}

std::vector<std::string> scripted_smtp::commands() const {
  std::lock_guard guard{mutex_};
  return commands_;
}

size_t scripted_smtp::count(std::string_view command_prefix) const {
  std::lock_guard guard{mutex_};
  return static_cast<size_t>(std::count_if(commands_.begin(), commands_.end(), [&](const auto& x) {
    return smtp::begins_with(x, command_prefix);
  }));
}

std::vector<std::string> scripted_smtp::failures() const {
  std::lock_guard guard{mutex_};
  return failures_;
}

} // namespace notify::test
