! A product of a negative size, by a call without status.
program failure
  use heron
  implicit none
  type(heron_handle) :: handle
  call heron_create(handle)
  call heron_gemm(handle, HERON_R_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, -1_c_int64_t, 1_c_int64_t, 1_c_int64_t, &
    & 1.0_c_float, c_null_ptr, 1_c_int64_t, c_null_ptr, 1_c_int64_t, 0.0_c_float, c_null_ptr, 1_c_int64_t, HERON_GEMM_DEFAULT)
  print "(a)", "it went on"
end program failure
