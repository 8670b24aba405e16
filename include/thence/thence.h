// All public headers.
#pragma once

#include <thence/diagnostic.h>
#include <thence/differences.h>
#include <thence/editing.h>
#include <thence/map.h>
#include <thence/options.h>
#include <thence/result.h>
#include <thence/rows.h>
#include <thence/selection.h>
#include <thence/version.h>
