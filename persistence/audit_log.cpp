#include "persistence/audit_log.hpp"

#include "persistence/pg_array.hpp"

namespace notify {

void write_audit(soci::session& sql, const audit_entry& x) {
  sql << "insert into notify.audit_log (actor, action, target, details)"
         " values (:actor, :action, :target, :details::jsonb)",
      soci::use(without_nul(x.actor), "actor"), soci::use(without_nul(x.action), "action"),
      soci::use(without_nul(x.target), "target"), soci::use(without_nul(x.details), "details");
}

} // namespace notify
