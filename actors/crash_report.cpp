#include "actors/crash_report.hpp"

#include "messages/error.hpp"

#include <caf/scheduled_actor.hpp>

#include <exception>
#include <stdexcept>
#include <string>

namespace notify {

void report_crashes(caf::scheduled_actor* self) {
  self->set_exception_handler([](std::exception_ptr& cause) -> caf::error {
    try {
      std::rethrow_exception(cause);
    } catch (const std::exception& x) {
      return caf::make_error(ec::crashed, std::string{x.what()});
    } catch (...) {
      return caf::make_error(ec::crashed, std::string{"unknown exception"});
    }
  });
}

void crash(const crash_now& order) {
  throw std::runtime_error(order.reason);
}

} // namespace notify
