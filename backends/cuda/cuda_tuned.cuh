#pragma once
// What the generated file of each family sees: the device, and which plans are specialised because they are tuned.
#include "cuda_device.cuh"
#include "kron_tuned.hpp"
#include "spgemm_tuned.hpp"
#include "spmv_tuned.hpp"
