! What wrong_kinds_*.f90 do, with the kinds that it takes.
subroutine right_kinds(handle, description, values, offsets, columns, x, y)
  use heron_cusparse
  implicit none
  type(cusparseHandle_t), intent(in) :: handle
  type(cusparseMatDescr_t), intent(in) :: description
  type(device_real64), intent(in) :: values, x, y
  type(device_int32), intent(in) :: offsets, columns
  call cusparse_csrmv(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, 2, 2, 3, 1.0_c_double, description, values, offsets, columns, x, &
    & 0.0_c_double, y)
end subroutine
