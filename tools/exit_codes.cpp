#include "tools/exit_codes.hpp"

#include "messages/error.hpp"

namespace notify {

const std::vector<exit_code_info>& exit_codes() {
  static const std::vector<exit_code_info> list{
      {exit_code::ok, "done, or stopped in order"},
      {exit_code::failure, "failed at run time, e.g. the database or an address was not available"},
      {exit_code::usage, "wrong command line or settings: a restart does not help"},
      {exit_code::schema, "the database's schema is newer than this program, or could not be "
                          "brought to its version"},
      {exit_code::shutdown_deadline, "service.shutdown-timeout passed before everything had "
                                     "stopped"},
      {exit_code::gave_up, "too many crashes within supervision.window, or a fatal Kafka error"},
      {exit_code::second_signal, "a second stop signal ended it at once"},
  };
  return list;
}

exit_code exit_code_for(const caf::error& err) {
  if (!err)
    return exit_code::ok;
  if (err == ec::invalid_config)
    return exit_code::usage;
  if (err == ec::storage_schema)
    return exit_code::schema;
  if (err == ec::kafka_fatal || err == ec::too_many_restarts)
    return exit_code::gave_up;
  return exit_code::failure;
}

} // namespace notify
