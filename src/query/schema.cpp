#include "query/tables.h"

namespace thence::query {

// The terms are those of schema/map.schema.json. A module is identified by its path: '' is the root and NULL
// is unknown. Lists are JSON, so that json_each() can read them.
const char* const schema = R"(
CREATE TABLE metadata(
  key TEXT PRIMARY KEY,
  value
) WITHOUT ROWID;
CREATE TABLE modules(
  id INTEGER PRIMARY KEY,         -- parents before children
  path TEXT NOT NULL,
  parent TEXT,                    -- its path; NULL: the root's
  name TEXT NOT NULL,             -- the last part of the path
  class TEXT,                     -- NULL: unknown
  depth INTEGER NOT NULL,
  calls INTEGER,                  -- of its forward; NULL: not recorded
  role TEXT,                      -- what it is for, as in semantic_type
  semantic_type TEXT,
  component TEXT,
  layer_id INTEGER,
  tag TEXT,
  own_nodes INTEGER NOT NULL,     -- nodes that it ran itself
  nodes INTEGER NOT NULL,         -- and with the modules inside it
  parameters INTEGER NOT NULL,    -- elements of initializers, the modules inside it included
  bytes INTEGER NOT NULL
);
CREATE VIEW module_closure AS     -- each module with those around it, and with itself
WITH RECURSIVE closure(ancestor, descendant, distance) AS (
  SELECT path, path, 0 FROM modules
  UNION ALL
  SELECT modules.parent, descendant, distance + 1
  FROM closure JOIN modules ON modules.path = ancestor
  WHERE modules.parent IS NOT NULL
)
SELECT ancestor, descendant, distance FROM closure;
CREATE TABLE nodes(
  id INTEGER PRIMARY KEY,         -- in row order
  graph TEXT NOT NULL,            -- '' is the main graph
  "index" INTEGER NOT NULL,       -- in its graph
  name TEXT NOT NULL,
  op_type TEXT NOT NULL,
  domain TEXT NOT NULL,
  module TEXT,
  module_class TEXT,
  module_kind TEXT,               -- 'scope': named by the tool that wrote the file, need not be a module
  call INTEGER,                   -- of the module; NULL: unknown which, or several
  modules TEXT NOT NULL,          -- every module it belongs to
  weight_owner TEXT,
  hf_module TEXT,
  tag TEXT,
  role TEXT,                      -- what its module is for, as in semantic_type
  semantic_type TEXT,
  component TEXT,
  layer_id INTEGER,
  source TEXT,
  confidence REAL NOT NULL,
  level TEXT NOT NULL,
  reason TEXT
);
CREATE TABLE initializers(
  id INTEGER PRIMARY KEY,
  graph TEXT NOT NULL,
  name TEXT NOT NULL,
  data_type TEXT NOT NULL,
  shape TEXT NOT NULL,            -- a list of sizes
  elements INTEGER,
  bytes INTEGER,
  module TEXT,
  parameter TEXT,                 -- its name in the state_dict; the first one if it holds several
  modules TEXT NOT NULL,          -- of the nodes that read it
  parameters TEXT NOT NULL,       -- all names; of a scale or zero point, those of its weight
  transform TEXT                  -- how it was made of them, as in thence weights
);
CREATE TABLE "values"(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  made_by TEXT NOT NULL,          -- node, initializer, graph_input or nothing
  node INTEGER,                   -- which of the nodes
  initializer INTEGER,            -- or which of the initializers
  data_type TEXT,                 -- where the file says it
  shape TEXT                      -- a list of sizes, of names that vary, and of null
);
CREATE TABLE edges(
  target INTEGER NOT NULL,        -- the node that reads,
  input INTEGER NOT NULL,         -- and which of its inputs
  source INTEGER NOT NULL,        -- the node that writes,
  output INTEGER NOT NULL,        -- and which of its outputs
  value INTEGER NOT NULL,
  PRIMARY KEY(target, input)
) WITHOUT ROWID;
CREATE TABLE evidence(
  node INTEGER NOT NULL,
  source TEXT NOT NULL,
  module TEXT NOT NULL,
  call INTEGER,
  strength TEXT NOT NULL,
  why TEXT NOT NULL               -- the words in the file that say so
);
)";

}  // namespace thence::query
