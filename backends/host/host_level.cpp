// The host's operation table for one instruction set level. This file is compiled once per level with
// HERON_LEVEL and the level's -march; everything it defines lives in that namespace, so that no level's code
// can replace another's.
#include "../common/generic_table.hpp"
#include "host_dense.hpp"
#include "host_device.hpp"
#include "host_kron.hpp"
#include "host_spmm.hpp"
#include "host_sddmm.hpp"
#include "host_spmm_op.hpp"
#include "host_spgemm.hpp"
#include "host_spmv.hpp"
#include "host_trisolve.hpp"

namespace heron::HERON_LEVEL {

void fill_slots(heron_backend& table) {
    fill_generic_slots<host_device>(table);
    fill_dense_slots(table);
    fill_kron_slots(table);
    table.sddmm = &slot<host_device, heron_sddmm_args, &host_sddmm, operation_names::sddmm>;
    table.spmm_op = &slot<host_device, heron_spmm_op_args, &host_spmm_op, operation_names::spmm_op>;
    fill_spgemm_slots(table);
    fill_trisolve_slots(table);
    table.spmv = &slot<host_device, heron_spmv_args, &host_spmv, operation_names::spmv>;
    fill_spmm_slot(table);
}

}  // namespace heron::HERON_LEVEL
