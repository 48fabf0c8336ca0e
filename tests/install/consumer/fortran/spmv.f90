! y = A*x for a matrix of two rows, by the module; the version, by the wrapper for Fortran 77.
program spmv
  use heron_cusparse, only: cusparseHandle_t, cusparseMatDescr_t, cusparse_create, cusparse_destroy, cusparse_create_mat_descr, &
    & cusparse_destroy_mat_descr, cusparse_csrmv, CUSPARSE_OPERATION_NON_TRANSPOSE, device_real64, device_int32, device_allocate, &
    & device_write, device_read, device_free, c_double
  implicit none
  type(cusparseHandle_t) :: handle
  type(cusparseMatDescr_t) :: description
  type(device_int32) :: offsets, columns
  type(device_real64) :: values, x, y
  real(c_double) :: answer(2)
  integer, external :: cusparse_get_version
  integer :: version
  call cusparse_create(handle)
  call cusparse_create_mat_descr(description)
  call device_allocate(offsets, 3)
  call device_allocate(columns, 3)
  call device_allocate(values, 3)
  call device_allocate(x, 2)
  call device_allocate(y, 2)
  call device_write(offsets, [0, 2, 3])
  call device_write(columns, [0, 1, 1])
  call device_write(values, [1.0_c_double, 2.0_c_double, 3.0_c_double])
  call device_write(x, [10.0_c_double, 20.0_c_double])
  call cusparse_csrmv(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, 2, 2, 3, 1.0_c_double, description, values, offsets, columns, x, &
    & 0.0_c_double, y)
  call device_read(answer, y)
  if (any(answer /= [50.0_c_double, 60.0_c_double])) error stop "spmv wrong"
  if (cusparse_get_version(handle, version) /= 0 .or. version < 12000) error stop "the wrapper is wrong"
  call device_free(offsets)
  call device_free(columns)
  call device_free(values)
  call device_free(x)
  call device_free(y)
  call cusparse_destroy_mat_descr(description)
  call cusparse_destroy(handle)
  print "(a)", "spmv ok"
end program spmv
