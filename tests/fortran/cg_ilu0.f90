! Conjugate gradients for the 5-point Laplacian on a grid, preconditioned by ILU(0), whose factors are those of IC(0) here. The
! products and triangular solves are the library's; the residual that counts is computed by the program itself.
program cg_ilu0
  use heron_cusparse
  implicit none
  integer, parameter :: side = 24, n = side * side, nnz = 5 * n - 4 * side
  integer(c_int64_t), parameter :: rows = n
  integer :: offsets(n + 1), columns(nnz)
  real(c_double) :: values(nnz), solution(n), b(n), x(n)
  type(cusparseHandle_t) :: handle
  type(device_int32) :: d_offsets, d_columns
  type(device_real64) :: d_values, d_factors
  type(cusparseSpMatDescr_t) :: a, lower, upper
  integer :: plain, preconditioned

  call laplacian()
  solution = [(sin(0.1_c_double * plain) + 0.01_c_double * mod(plain, 13), plain = 1, n)]
  b = product_by_hand(solution)

  call cusparse_create(handle)
  call device_allocate(d_offsets, n + 1)
  call device_allocate(d_columns, nnz)
  call device_allocate(d_values, nnz)
  call device_allocate(d_factors, nnz)
  call device_write(d_offsets, offsets)
  call device_write(d_columns, columns)
  call device_write(d_values, values)
  call device_write(d_factors, values)
  call factorise()
  a = matrix(d_values)
  lower = triangle(CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT)
  upper = triangle(CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT)

  call solve(.false., plain)
  call check("without preconditioner")
  call solve(.true., preconditioned)
  call check("with ILU(0)")
  print "(a,i0,a,i0,a)", "CG: ", plain, " steps, with ILU(0) ", preconditioned, " steps"
  if (2 * preconditioned > plain) error stop "ILU(0) should at least halve the steps"

  call cusparse_destroy_spmat(a)
  call cusparse_destroy_spmat(lower)
  call cusparse_destroy_spmat(upper)
  call device_free(d_offsets)
  call device_free(d_columns)
  call device_free(d_values)
  call device_free(d_factors)
  call cusparse_destroy(handle)

contains

  subroutine laplacian()
    integer :: i, j, row, count
    count = 0
    offsets(1) = 1
    do j = 1, side
      do i = 1, side
        row = i + (j - 1) * side
        if (j > 1) call element(row - side, -1.0_c_double, count)
        if (i > 1) call element(row - 1, -1.0_c_double, count)
        call element(row, 4.0_c_double, count)
        if (i < side) call element(row + 1, -1.0_c_double, count)
        if (j < side) call element(row + side, -1.0_c_double, count)
        offsets(row + 1) = count + 1
      end do
    end do
  end subroutine

  subroutine element(column, value, count)
    integer, intent(in) :: column
    real(c_double), intent(in) :: value
    integer, intent(inout) :: count
    count = count + 1
    columns(count) = column
    values(count) = value
  end subroutine

  function product_by_hand(v) result(av)
    real(c_double), intent(in) :: v(n)
    real(c_double) :: av(n)
    integer :: row, k
    av = 0
    do row = 1, n
      do k = offsets(row), offsets(row + 1) - 1
        av(row) = av(row) + values(k) * v(columns(k))
      end do
    end do
  end function

  subroutine check(what)
    character(len=*), intent(in) :: what
    real(c_double) :: residual, error
    residual = norm2(b - product_by_hand(x)) / norm2(b)
    error = maxval(abs(x - solution))
    print "(2a,2(a,es9.2))", what, ":", " relative residual", residual, ", largest error", error
    if (.not. residual < 1e-11_c_double .or. .not. error < 1e-8_c_double) error stop "the solution is wrong"
  end subroutine

  subroutine factorise()
    type(cusparseMatDescr_t) :: description
    type(csrilu02Info_t) :: info
    type(c_ptr) :: buffer
    integer(c_int) :: bytes, position
    call cusparse_create_mat_descr(description)
    call cusparse_set_mat_index_base(description, CUSPARSE_INDEX_BASE_ONE)
    call cusparse_create_csrilu02_info(info)
    call cusparse_csrilu02_buffersize(handle, n, nnz, description, d_factors, d_offsets, d_columns, info, bytes)
    buffer = c_null_ptr
    call cuda_malloc(buffer, int(bytes, c_size_t))
    call cusparse_csrilu02_analysis(handle, n, nnz, description, d_factors, d_offsets, d_columns, info, &
      & CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer)
    call cusparse_csrilu02(handle, n, nnz, description, d_factors, d_offsets, d_columns, info, &
      & CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer)
    call cusparse_xcsrilu02_zeropivot(handle, info, position)
    if (position /= -1) error stop "a zero pivot"
    call cuda_free(buffer)
    call cusparse_destroy_csrilu02_info(info)
    call cusparse_destroy_mat_descr(description)
  end subroutine

  function matrix(of) result(description)
    type(device_real64), intent(in) :: of
    type(cusparseSpMatDescr_t) :: description
    call cusparse_create_csr(description, rows, rows, int(nnz, c_int64_t), device_address(d_offsets), &
      & device_address(d_columns), &
      & device_address(of), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F)
  end function

  function triangle(fill, diagonal) result(description)
    integer(c_int), intent(in), target :: fill, diagonal
    type(cusparseSpMatDescr_t) :: description
    description = matrix(d_factors)
    call cusparse_spmat_set_attribute(description, CUSPARSE_SPMAT_FILL_MODE, c_loc(fill), c_sizeof(fill))
    call cusparse_spmat_set_attribute(description, CUSPARSE_SPMAT_DIAG_TYPE, c_loc(diagonal), c_sizeof(diagonal))
  end function

  subroutine solve(is_preconditioned, steps)
    logical, intent(in) :: is_preconditioned
    integer, intent(out) :: steps
    real(c_double) :: r(n), z(n), p(n), ap(n), rz, rz_before, step
    type(device_real64) :: d_in, d_middle, d_out
    type(cusparseDnVecDescr_t) :: v_in, v_middle, v_out
    type(cusparseSpSVDescr_t) :: solve_lower, solve_upper
    type(c_ptr) :: product_buffer, lower_buffer, upper_buffer
    integer(c_size_t) :: bytes
    call device_allocate(d_in, n)
    call device_allocate(d_middle, n)
    call device_allocate(d_out, n)
    call cusparse_create_dnvec(v_in, rows, device_address(d_in), CUDA_R_64F)
    call cusparse_create_dnvec(v_middle, rows, device_address(d_middle), CUDA_R_64F)
    call cusparse_create_dnvec(v_out, rows, device_address(d_out), CUDA_R_64F)
    call cusparse_spmv_buffersize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, 1.0_c_double, a, v_in, 0.0_c_double, v_out, &
      & CUDA_R_64F, &
      & CUSPARSE_SPMV_ALG_DEFAULT, bytes)
    product_buffer = c_null_ptr
    call cuda_malloc(product_buffer, bytes)
    if (is_preconditioned) then
      call analyse(lower, v_in, v_middle, solve_lower, lower_buffer)
      call analyse(upper, v_middle, v_out, solve_upper, upper_buffer)
    end if

    x = 0
    r = b
    p = 0
    rz_before = 1
    do steps = 1, 500
      z = r
      if (is_preconditioned) then
        call device_write(d_in, r)
        call cusparse_spsv_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, 1.0_c_double, lower, v_in, v_middle, CUDA_R_64F, &
          & CUSPARSE_SPSV_ALG_DEFAULT, solve_lower)
        call cusparse_spsv_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, 1.0_c_double, upper, v_middle, v_out, CUDA_R_64F, &
          & CUSPARSE_SPSV_ALG_DEFAULT, solve_upper)
        call device_read(z, d_out)
      end if
      rz = dot_product(r, z)
      p = z + merge(0.0_c_double, rz / rz_before, steps == 1) * p
      rz_before = rz
      call device_write(d_in, p)
      call cusparse_spmv(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, 1.0_c_double, a, v_in, 0.0_c_double, v_out, CUDA_R_64F, &
        & CUSPARSE_SPMV_ALG_DEFAULT, product_buffer)
      call device_read(ap, d_out)
      step = rz / dot_product(p, ap)
      x = x + step * p
      r = r - step * ap
      if (norm2(r) <= 1e-13_c_double * norm2(b)) exit
    end do

    if (is_preconditioned) then
      call cusparse_spsv_destroydescr(solve_lower)
      call cusparse_spsv_destroydescr(solve_upper)
      call cuda_free(lower_buffer)
      call cuda_free(upper_buffer)
    end if
    call cuda_free(product_buffer)
    call cusparse_destroy_dnvec(v_in)
    call cusparse_destroy_dnvec(v_middle)
    call cusparse_destroy_dnvec(v_out)
    call device_free(d_in)
    call device_free(d_middle)
    call device_free(d_out)
  end subroutine

  subroutine analyse(factor, from, to, description, buffer)
    type(cusparseSpMatDescr_t), intent(in) :: factor
    type(cusparseDnVecDescr_t), intent(in) :: from, to
    type(cusparseSpSVDescr_t), intent(inout) :: description
    type(c_ptr), intent(out) :: buffer
    integer(c_size_t) :: bytes
    call cusparse_spsv_createdescr(description)
    call cusparse_spsv_buffersize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, 1.0_c_double, factor, from, to, CUDA_R_64F, &
      & CUSPARSE_SPSV_ALG_DEFAULT, description, bytes)
    buffer = c_null_ptr
    call cuda_malloc(buffer, bytes)
    call cusparse_spsv_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, 1.0_c_double, factor, from, to, CUDA_R_64F, &
      & CUSPARSE_SPSV_ALG_DEFAULT, description, buffer)
  end subroutine

end program cg_ilu0
