! kron(A, B, C)*X for every item of a batch, and a dense product, with arrays as Fortran lays them out. The sums that they are
! compared with are written out here.
program kron3d
  use heron
  implicit none
  integer, parameter :: p = 3, q = 4, r = 2, items = 5
  real(c_double) :: a(p, p, items), b(q, q, items), c(r, r, items), x(r, q, p, items), y(r, q, p, items), wanted(r, q, p, items)
  type(heron_handle) :: handle
  integer :: status

  call fill(a, size(a), 1)
  call fill(b, size(b), 2)
  call fill(c, size(c), 3)
  call fill(x, size(x), 4)
  call heron_create(handle)
  call kronecker()
  call dense()
  call heron_gemm(handle, HERON_R_64F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, -1_c_int64_t, 1_c_int64_t, &
    & 1_c_int64_t, &
    & 1.0_c_double, c_null_ptr, 1_c_int64_t, c_null_ptr, 1_c_int64_t, 0.0_c_double, c_null_ptr, 1_c_int64_t, &
    & HERON_GEMM_DEFAULT, &
    & status)
  if (status /= HERON_INVALID_VALUE) error stop "a negative size was taken"
  if (index(heron_last_error(), "heron_gemm: m: ") /= 1) error stop "the reason does not name the argument"
  call heron_destroy(handle)

contains

  subroutine fill(array, count, seed)
    integer, intent(in) :: count, seed
    real(c_double), intent(out) :: array(count)
    integer :: i
    array = [(real(mod(7 * i * seed + i * i, 19) - 9, c_double) / 8, i = 1, count)]
  end subroutine

  function on_device(array, count) result(address)
    integer, intent(in) :: count
    real(c_double), intent(in), target :: array(count)
    type(c_ptr) :: address
    address = c_null_ptr
    call heron_alloc(handle, 8_c_size_t * count, HERON_MEMORY_DEVICE, address)
    call heron_copy(handle, address, c_loc(array), 8_c_size_t * count)
  end function

  subroutine from_device(array, count, address)
    integer, intent(in) :: count
    real(c_double), intent(inout), target :: array(count)
    type(c_ptr), intent(in) :: address
    call heron_copy(handle, c_loc(array), address, 8_c_size_t * count)
    call heron_synchronize(handle)
    call heron_free(handle, address)
  end subroutine

  subroutine kronecker()
    type(heron_kronmult_desc) :: description
    type(c_ptr) :: d_a, d_b, d_c, d_x, d_y, workspace
    integer(c_int64_t) :: sizes(3)
    integer(c_size_t) :: bytes
    integer :: item, i, j, k, l, m, o
    sizes = [p, q, r]
    d_a = on_device(a, size(a))
    d_b = on_device(b, size(b))
    d_c = on_device(c, size(c))
    d_x = on_device(x, size(x))
    d_y = on_device(x, size(x))
    call heron_kronmult_init(description, HERON_R_64F, 3_c_int32_t, sizes, sizes, int(items, c_int64_t))
    description%factors(1)%a%base = d_a
    description%factors(2)%a%base = d_b
    description%factors(3)%a%base = d_c
    description%x%base = d_x
    description%y%base = d_y
    call heron_kronmult_workspace(handle, description, bytes)
    workspace = c_null_ptr
    call heron_alloc(handle, bytes, HERON_MEMORY_DEVICE, workspace)
    call heron_kronmult(handle, 2.0_c_double, description, 0.0_c_double, workspace, bytes)
    call from_device(y, size(y), d_y)
    call heron_free(handle, workspace)
    call heron_free(handle, d_a)
    call heron_free(handle, d_b)
    call heron_free(handle, d_c)
    call heron_free(handle, d_x)

    ! The last factor's index runs fastest: it is the first of Fortran's.
    wanted = 0
    do item = 1, items
      do i = 1, p; do j = 1, q; do k = 1, r
        do l = 1, p; do m = 1, q; do o = 1, r
          wanted(k, j, i, item) = wanted(k, j, i, item) &
            & + 2 * a(i, l, item) * b(j, m, item) * c(k, o, item) * x(o, m, l, item)
        end do; end do; end do
      end do; end do; end do
    end do
    print "(a,es9.2)", "kron: largest error ", maxval(abs(y - wanted))
    if (.not. maxval(abs(y - wanted)) < 1e-12_c_double) error stop "the Kronecker product is wrong"
  end subroutine

  subroutine dense()
    integer, parameter :: m = 6, n = 5, k = 7
    real(c_double) :: left(m, k), right(k, n), product(m, n)
    type(c_ptr) :: d_left, d_right, d_product
    call fill(left, size(left), 5)
    call fill(right, size(right), 6)
    product = 1
    d_left = on_device(left, size(left))
    d_right = on_device(right, size(right))
    d_product = on_device(product, size(product))
    call heron_gemm(handle, HERON_R_64F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, int(m, c_int64_t), int(n, &
      & c_int64_t), &
      & int(k, c_int64_t), 3.0_c_double, d_left, int(m, c_int64_t), d_right, int(k, c_int64_t), 0.5_c_double, d_product, &
      & int(m, c_int64_t), HERON_GEMM_DEFAULT)
    call from_device(product, size(product), d_product)
    call heron_free(handle, d_left)
    call heron_free(handle, d_right)
    print "(a,es9.2)", "gemm: largest error ", maxval(abs(product - (3 * matmul(left, right) + 0.5_c_double)))
    if (.not. maxval(abs(product - (3 * matmul(left, right) + 0.5_c_double))) < 1e-12_c_double) error stop "the product &
      & is wrong"
  end subroutine

end program kron3d
