! C := alpha*A*B^H + conj(alpha)*B*A^H + beta*C through clAmdBlas, from the module and from Fortran 77, against matmul.
program her2k
  use heron_clamdblas, module_zher2k => clamdblas_zher2k
  use opencl
  implicit none
  integer, parameter :: n = 13, k = 6
  complex(c_double_complex), target :: a(n, k), b(n, k), c(n, n)
  complex(c_double_complex), parameter :: alpha = (0.5_c_double, -1.25_c_double)
  complex(c_double_complex) :: before(n, n), wanted(n, n)
  real(c_double), parameter :: beta = 0.75_c_double
  real(c_double) :: parts(3)
  type(c_ptr) :: context, queue, d_a, d_b, d_c
  type(cl_command_queue) :: queues(1)
  integer(c_int), external :: clamdblas_zher2k
  integer :: i, j
  integer(c_int) :: status

  call fill(a, size(a), 3)
  call fill(b, size(b), 5)
  call fill(before, size(before), 7)
  do i = 1, n
    before(i, i) = real(before(i, i), c_double)
  end do
  wanted = beta * before + alpha * matmul(a, conjg(transpose(b))) + conjg(alpha) * matmul(b, conjg(transpose(a)))
  call open_queue(context, queue)
  queues(1) = cl_command_queue(queue)
  call clamdblas_setup()
  d_a = buffer(a, size(a))
  d_b = buffer(b, size(b))

  d_c = buffer(before, size(before))
  call clamdblas_her2k(clAmdBlasColumnMajor, clAmdBlasLower, clAmdBlasNoTrans, int(n, c_size_t), int(k, c_size_t), &
    & alpha, cl_mem(d_a), &
    & 0_c_size_t, int(n, c_size_t), cl_mem(d_b), 0_c_size_t, int(n, c_size_t), beta, cl_mem(d_c), 0_c_size_t, int(n, &
    & c_size_t), &
    & 1_c_int, queues, 0_c_int)
  call check("module")

  ! Complex numbers are as aligned as real ones: one of these is not what C calls aligned.
  do i = 1, 2
    d_c = buffer(before, size(before))
    parts(i:i + 1) = [real(alpha, c_double), aimag(alpha)]
    call must(clamdblas_zher2k(clAmdBlasColumnMajor, clAmdBlasLower, clAmdBlasNoTrans, int(n, c_int64_t), int(k, c_int64_t), &
      & parts(i), d_a, 0_c_int64_t, int(n, c_int64_t), d_b, 0_c_int64_t, int(n, c_int64_t), beta, d_c, 0_c_int64_t, &
      & int(n, c_int64_t), 1_c_int, queue, 0_c_int, queue, %val(0_c_int64_t)), "clamdblas_zher2k")
    call check("Fortran 77")
  end do

  call clamdblas_her2k(clAmdBlasColumnMajor, clAmdBlasLower, clAmdBlasTrans, int(n, c_size_t), int(k, c_size_t), alpha, &
    & cl_mem(d_a), &
    & 0_c_size_t, int(n, c_size_t), cl_mem(d_b), 0_c_size_t, int(n, c_size_t), beta, cl_mem(d_a), 0_c_size_t, int(n, &
    & c_size_t), &
    & 1_c_int, queues, 0_c_int, status=status)
  if (status == clAmdBlasSuccess) error stop "HER2K took op T"
  call clamdblas_teardown()
  call must(clReleaseMemObject(d_a), "clReleaseMemObject")
  call must(clReleaseMemObject(d_b), "clReleaseMemObject")
  call must(clReleaseCommandQueue(queue), "clReleaseCommandQueue")
  call must(clReleaseContext(context), "clReleaseContext")

contains

  subroutine fill(array, count, seed)
    integer, intent(in) :: count, seed
    complex(c_double_complex), intent(out) :: array(count)
    integer :: at
    do at = 1, count
      array(at) = cmplx(mod(at * seed, 17) - 8, mod(at * at + seed, 11) - 5, c_double_complex) / 4
    end do
  end subroutine

  function buffer(array, count) result(memory)
    integer, intent(in) :: count
    complex(c_double_complex), intent(in), target :: array(count)
    type(c_ptr) :: memory
    integer(c_int) :: error
    memory = clCreateBuffer(context, read_write, 16_c_size_t * count, c_null_ptr, error)
    call must(error, "clCreateBuffer")
    call must(clEnqueueWriteBuffer(queue, memory, blocking, 0_c_size_t, 16_c_size_t * count, c_loc(array), 0_c_int, &
      & c_null_ptr, &
      & c_null_ptr), "clEnqueueWriteBuffer")
  end function

  subroutine check(what)
    character(len=*), intent(in) :: what
    real(c_double) :: error
    call must(clEnqueueReadBuffer(queue, d_c, blocking, 0_c_size_t, 16_c_size_t * size(c), c_loc(c), 0_c_int, c_null_ptr, &
      & c_null_ptr), "clEnqueueReadBuffer")
    call must(clReleaseMemObject(d_c), "clReleaseMemObject")
    error = 0
    do j = 1, n
      error = max(error, maxval(abs(c(j:, j) - wanted(j:, j))))
      if (any(c(:j - 1, j) /= before(:j - 1, j))) error stop "the other triangle has changed"
    end do
    print "(2a,es9.2)", what, ": largest error ", error
    if (.not. error < 1e-12_c_double) error stop "HER2K is wrong"
  end subroutine

end program her2k
