#include "http/token_list.hpp"
#include "messages/error.hpp"
#include "tools/commands.hpp"

#include <iostream>

namespace notify {

caf::error token_command(const std::string& name, const std::string& role) {
  if (!http::is_principal_name(name))
    return caf::make_error(ec::invalid_config, std::string{"a token's name has letters, digits and "
                                                           "._@- only, at most 64"});
  auto what = http::role_of(role);
  if (!what)
    return caf::make_error(ec::invalid_config,
                           "there is no role " + role + "; it must be viewer or operator");
  auto token = http::make_token();
  std::cerr << "token, shown only once: " << token << '\n';
  std::cout << http::token_line(name, *what, token) << '\n';
  return caf::none;
}

} // namespace notify
