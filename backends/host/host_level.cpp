// The host's operation table for one instruction set level. This file is compiled once per level with
// HERON_LEVEL and the level's -march; everything it defines lives in that namespace, so that no level's code
// can replace another's.
#include "../common/generic_table.hpp"
#include "host_device.hpp"
#include "host_kron.hpp"
#include "host_spmv.hpp"
#include "host_trisolve.hpp"

namespace heron::HERON_LEVEL {

void fill_slots(heron_backend& table) {
    fill_generic_slots<host_device>(table);
    fill_kron_slots(table);
    fill_trisolve_slots(table);
    table.spmv = &slot<host_device, heron_spmv_args, &host_spmv, operation_names::spmv>;
}

}  // namespace heron::HERON_LEVEL
