#pragma once
// What the generated file of each family sees: the device, and which plans are specialised because they are
// tuned.
#include "cuda_device.cuh"
#include "dense_tuned.hpp"
#include "device_scan.hpp"
#include "kron_tuned.hpp"
#include "sddmm_tuned.hpp"
#include "spmm_op_tuned.hpp"
#include "spmm_tuned.hpp"
#include "spgemm_tuned.hpp"
#include "spmv_tuned.hpp"
#include "trisolve_tuned.hpp"
#include "vector_tuned.hpp"
