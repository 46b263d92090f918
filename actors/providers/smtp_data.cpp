#include "actors/providers/smtp_data.hpp"

namespace notify {

std::string encode_smtp_data(std::string_view message) {
  std::string result;
  result.reserve(message.size() + message.size() / 32 + 16);
  while (!message.empty()) {
    auto end = message.find_first_of("\r\n");
    auto line = message.substr(0, end);
    if (line.starts_with('.'))
      result += '.';
    result += line;
    result += "\r\n";
    if (end == std::string_view::npos)
      break;
    message.remove_prefix(end);
    message.remove_prefix(message.starts_with("\r\n") ? 2 : 1);
  }
  return result;
}

} // namespace notify
