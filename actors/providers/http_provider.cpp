#include "actors/providers/http_provider.hpp"

#include <utility>

namespace notify {

using std::chrono::system_clock;

outcome refused_unsent(std::string provider, std::string reason, std::string detail) {
  outcome result;
  result.kind = outcome_kind::permanent;
  result.phase = send_phase::render;
  result.provider = std::move(provider);
  result.reason = std::move(reason);
  result.detail = std::move(detail);
  return result;
}

http_provider::http_provider(http_client_ptr client, http_dialect_ptr dialect)
    : client_(std::move(client)), dialect_(std::move(dialect)) {}

http_provider::~http_provider() {
  client_->stop();
}

void http_provider::send(send_request request, completion done) {
  auto made = dialect_->request_for(request, system_clock::now());
  if (auto* refusal = std::get_if<outcome>(&made)) {
    done(std::move(*refusal));
    return;
  }
  auto& on_wire = std::get<http_request>(made);
  on_wire.deadline = request.deadline;
  // Not `this`: an answer may come while the provider goes.
  client_->send(std::move(on_wire), [dialect = dialect_, recipient = std::move(request.recipient),
                                     done = std::move(done)](const http_exchange& x) {
    done(dialect->outcome_of(recipient, x, system_clock::now()));
  });
}

void http_provider::stop() {
  client_->stop();
}

} // namespace notify
