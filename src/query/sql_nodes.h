// The nodes that an SQL result names, for lists of nodes.
#pragma once

#include <vector>

#include "base/result.h"
#include "onnx/model.h"
#include "query/sql.h"

namespace thence::query {

/// The nodes in row order, each once. They are read from the column `node`, which has numbers of nodes; else
/// from `id`, if only the table `nodes` has one in the statement; else from `name`. Rows with NULL name no
/// node. Returns a usage error if the result has no such column or names a node that does not exist, and Q002
/// if it names none.
Result<std::vector<onnx::NodeId>> nodes_in(const SqlResult& result, const SqlQuery& statement,
                                           const onnx::Model& model);

}  // namespace thence::query
