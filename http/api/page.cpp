#include "http/api/page.hpp"

namespace notify::http {

std::string_view index_page() {
  return R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>notifyd</title>
</head>
<body>
<h1>notifyd</h1>
<p>Reads business events, decides which notifications each one calls for, and delivers them.</p>
<ul>
<li><a href="/health/live">/health/live</a>: does the process work</li>
<li><a href="/health/ready">/health/ready</a>: can it do its work now, and if not, why</li>
<li><a href="/metrics">/metrics</a>: figures for Prometheus</li>
<li><a href="/openapi.json">/openapi.json</a>: every route of the API, with its answers</li>
</ul>
<p>Routes below /api/v1 need a token: <code>Authorization: Bearer TOKEN</code>.</p>
</body>
</html>
)html";
}

} // namespace notify::http
