// The rows of each table, in the order of the schema's columns. One function per table of query/schema.cpp.
#pragma once

#include "query/statement.h"
#include "semantics/map.h"

namespace thence::query {

/// From the map.
void fill_metadata(const semantics::Map& map, Database& database);
void fill_modules(const semantics::Map& map, Database& database);
void fill_nodes(const semantics::Map& map, Database& database);
void fill_initializers(const semantics::Map& map, Database& database);
void fill_evidence(const semantics::Map& map, Database& database);

/// From the model alone.
void fill_values(const onnx::Model& model, Database& database);
void fill_edges(const onnx::Model& model, Database& database);

}  // namespace thence::query
