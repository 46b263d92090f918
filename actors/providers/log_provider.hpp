#pragma once

#include "actors/providers/provider.hpp"

namespace notify {

/// A dry run: says in the log what it would have sent and calls it sent. Also the no-op end of
/// benchmarks, with the log level above `debug`.
class log_provider : public provider {
public:
  std::string name() const override { return "log"; }
  void send(send_request request, completion done) override;
  void stop() override {}
};

} // namespace notify
